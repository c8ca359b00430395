import Archive
import Foundation
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import RealtimeRuntime
import Signalling
import Testing

@testable import DeviceMedia

/// Two test pictures of different sizes, captured, encoded and written to a disk.
@Suite("Recordings of two cameras", .timeLimit(.minutes(1)))
struct CameraRecordingTests {
  private let root = FileManager.default.temporaryDirectory.appending(path: "cameras-\(UUID().uuidString)").path

  private func pipeline(width: Int, _ microphone: AudioSourceSelection, _ bus: FrameBus) -> MediaPipeline {
    MediaPipeline(configuration: configuration(width: width, microphone), bus: bus)
  }

  private func configuration(width: Int, _ microphone: AudioSourceSelection) -> MediaPipelineConfiguration {
    MediaPipelineConfiguration(
      cameras: [.testBars], microphone: microphone, width: width, height: width / 2, frameRate: 15,
      videoBitrate: .kilobits(300))
  }

  private func makeMedia(_ store: ArchiveStore, preRoll: TimeSpan) throws -> DeviceMedia {
    let (bus, yardBus, playout) = (FrameBus(), FrameBus(), FakePlayout())
    var parts = DeviceMediaDependencies(
      pipeline: pipeline(width: 320, .testTone(frequency: 440), bus), bus: bus, network: try FakeNetwork(),
      archives: DiskArchives(
        store: store, configuration: ArchiveConfiguration(minimumFreeBytes: 0),
        limits: ArchiveLimits(maximumTotal: nil, minimumFree: 0, maximumAge: nil)),
      loadSound: { _ in throw NoSpeaker() }
    ) { _ in playout }
    parts.cameras = [
      FurtherCamera(
        name: "yard", source: "test:bars", pipeline: pipeline(width: 160, .none, yardBus), bus: yardBus,
        bitrate: .kilobits(300))
    ]
    return DeviceMedia(
      configuration: DeviceMediaConfiguration(
        pipeline: configuration(width: 320, .testTone(frequency: 440)), speaker: .none, preRoll: preRoll),
      parts: parts)
  }

  @Test func `an archive has a file of each, which begin and end together`() async throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    let store = ArchiveStore(root: root)
    let media = try makeMedia(store, preRoll: .seconds(1))
    await media.start()
    try await Task.sleep(for: .seconds(3))
    let id = try await media.startArchive(ArchiveDescription(sessionID: nil, callerID: "", callerTitle: ""))
    try await Task.sleep(for: .seconds(1))
    await media.stopArchive(archiveID: id, reason: .userInitiated)
    await media.shutDown()
    let content = try store.content(id)
    #expect(content.problems.isEmpty)
    #expect(try store.verify(id) == [])
    #expect(content.files.map(\.entry.filename) == ["device.webm", "yard.webm"])
    #expect(content.files.map(\.entry.camera) == [nil, "yard"])
    #expect(content.files.map(\.tracks.count) == [2, 1])
    // The pre-roll of each, up to a group of pictures more.
    for file in content.files { #expect(file.entry.stopTimeOffset - file.entry.startTimeOffset >= 1_700) }
    #expect(abs(content.files[0].entry.stopTimeOffset - content.files[1].entry.stopTimeOffset) < 500)
    #expect(content.manifest.size == content.files.reduce(0) { $0 + $1.entry.size })
    let cameras = await media.telemetry().cameras
    #expect(cameras?.first?.video.width == 160 && (cameras?.first?.video.framesEncoded ?? 0) > 20)
  }
}
