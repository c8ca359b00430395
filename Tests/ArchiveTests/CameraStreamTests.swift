import Foundation
import MediaCore
import TestSupport
import OpenSSLCrypto
import RealtimeRuntime
import Signalling
import Testing

@testable import Archive

/// Archives with the pictures of a further camera beside the device's own stream.
@Suite(.timeLimit(.minutes(1))) struct CameraStreamTests {
  private func addCamera(_ name: String, to recorder: ArchiveRecorder) throws -> FrameInbox {
    var stream = ArchiveStreamDescription(streamID: name, connectionData: "device", hasAudio: false)
    stream.camera = name
    return try recorder.addStream(stream) {}
  }

  private func pushFrames(to inbox: FrameInbox, startingAt offset: Int64 = 0) throws {
    for (number, picture) in try SampleMedia.video().enumerated() {
      #expect(inbox.push(.video, picture, number: number, start: RecordingStage.start + .milliseconds(offset)))
    }
  }

  @Test func theManifestNamesTheCameraOfEachFile() async throws {
    let key = try Ed25519Key()
    let stage = try RecordingStage(isInMemory: true, evidence: .sample(key))
    let recorder = try stage.startRecorder(segmentDuration: .seconds(4))
    let (device, yard) = (try stage.addStream("device", to: recorder), try addCamera("yard", to: recorder))
    try device.pushSamples()
    try pushFrames(to: yard, startingAt: 500)
    let manifest = await recorder.stop()
    let cameras = manifest.files.filter { $0.streamId == "yard" }
    #expect(cameras.count > 1 && cameras.allSatisfy { $0.camera == "yard" && $0.videoType == "camera" })
    #expect(cameras.first?.filename == "yard.webm" && cameras.first?.startTimeOffset == 500)
    #expect(manifest.files.filter { $0.streamId == "device" }.allSatisfy { $0.camera == nil })
    #expect(try ArchiveManifest(json: manifest.json()) == manifest)
    #expect(try stage.store.verify(RecordingStage.id) == [])
    let report = try EvidenceArchive.verify(try stage.store.path(RecordingStage.id))
    #expect(report.verdict == .whole, "\(report.findings)")
    let archive = EvidenceArchive(stage: stage, path: try stage.store.path(RecordingStage.id), key: key)
    #expect(try archive.report(changing: 5_000, of: "yard.webm", by: 1).verdict == .changed)
  }

  /// The last segment of the camera was made so shortly before the cut that the manifest does not name it.
  @Test func aPowerCutLeavesEachFileItsCamera() async throws {
    let stage = try RecordingStage(isInMemory: true)
    let recorder = try stage.startRecorder(segmentDuration: .seconds(4))
    let (device, yard) = (try stage.addStream("device", to: recorder), try addCamera("yard", to: recorder))
    try device.pushSamples()
    try pushFrames(to: yard)
    try await stage.settle()
    try await Task.sleep(for: .seconds(1))
    let copy = stage.folder.path + "/copy"
    try FileManager.default.copyItem(atPath: stage.store.root, toPath: copy)
    _ = await recorder.stop()
    let store = ArchiveStore(root: copy)
    _ = try store.recover()
    let manifest = try store.manifest(RecordingStage.id)
    #expect(manifest.reason == "recovered")
    let cameras = manifest.files.filter { $0.filename.hasPrefix("yard") }
    #expect(cameras.count > 1 && cameras.allSatisfy { $0.camera == "yard" && $0.streamId == "yard" })
    #expect(try store.verify(RecordingStage.id) == [])
    let remuxer = try ArchiveRemuxer(RecordingStage.id, in: store)
    #expect(remuxer.tracks.map(\.name) == ["device video", "device audio", "yard video"])
  }

  @Test(
    "The first file of a stream that the manifest does not name",
    arguments: [
      ("yard.webm", "yard", "yard"), ("device.webm", "device", nil), ("caller.webm", "caller", nil),
      ("receiver.webm", "receiver", nil),
    ])
  func firstFiles(name: String, streamID: String, camera: String?) {
    let file = ArchivedFile.unlisted(name, after: [])
    #expect(file.streamId == streamID && file.camera == camera)
  }
}
