import Foundation
import SystemSupport
import MediaCore
import TestSupport
import RealtimeRuntime
import Signalling
import Testing

@testable import Archive

/// A store in a temporary folder, with what its archives reported.
final class RecordingStage: Sendable {
  let folder: TemporaryFolder
  let store: ArchiveStore
  private let log = Mutex<[ArchiveEvent]>([])
  private let keyFrameRequests = Atomic<Int>(0)

  /// - Parameter root: another place than the temporary folder, such as a small disk.
  init(root: String? = nil, isInMemory: Bool = false, evidence: ArchiveEvidence? = nil) throws {
    folder = try TemporaryFolder(isInMemory: isInMemory)
    store = ArchiveStore(root: (root ?? folder.path) + "/archives", evidence: evidence)
  }

  static let id = ArchiveID("0b0c5c4e-9a53-4c8e-8a3e-4f6f1f0a7d11")
  /// 2026-11-21 12:00 UTC.
  static let createdAt: Int64 = 1_795_262_400_000
  static let start = MonotonicInstant(nanoseconds: 500_000_000_000)

  var events: [ArchiveEvent] { log.withLock { $0 } }
  var requestedKeyFrames: Int { keyFrameRequests.load(ordering: .relaxed) }

  func startRecorder(
    _ id: ArchiveID = RecordingStage.id, minimumFreeBytes: UInt64 = 0, segmentDuration: TimeSpan? = nil,
    maximumByteCount: UInt64? = nil, start: MonotonicInstant = RecordingStage.start,
    createdAt: Int64? = RecordingStage.createdAt,
    clock: WallClockReader = WallClockReader(), calls: DiskCalls = DiskCalls()
  ) throws -> ArchiveRecorder {
    var configuration = ArchiveConfiguration(minimumFreeBytes: minimumFreeBytes, segmentDuration: segmentDuration)
    configuration.maximumByteCount = maximumByteCount
    return try ArchiveRecorder(
      id, in: store,
      details: ArchiveDetails(
        name: "front door", sessionID: "session-1", callerID: "user-7", policyRule: "control room, working hours"),
      configuration: configuration,
      start: start, createdAt: createdAt, clock: clock, calls: calls
    ) { [self] event in log.withLock { $0.append(event) } }
  }

  /// An archive of nothing but a time-lapse.
  func startTimeLapse(_ interval: TimeSpan) throws -> ArchiveRecorder {
    var details = ArchiveDetails(sessionID: "", hasAudio: false)
    details.timeLapse = TimeLapse(interval: interval)
    return try ArchiveRecorder(
      Self.id, in: store, details: details, configuration: ArchiveConfiguration(minimumFreeBytes: 0),
      start: Self.start, createdAt: Self.createdAt
    ) { [self] event in log.withLock { $0.append(event) } }
  }

  func addStream(
    _ name: String, to recorder: ArchiveRecorder, hasVideo: Bool = true, preRoll: PreRoll? = nil,
    maximumBitrate: Bitrate? = nil
  ) throws -> FrameInbox {
    try recorder.addStream(
      ArchiveStreamDescription(
        streamID: name, connectionData: "data of \(name)", hasVideo: hasVideo, maximumBitrate: maximumBitrate),
      preRoll: preRoll
    ) { [self] in keyFrameRequests.add(1, ordering: .relaxed) }
  }

  /// Waits until a recorder's thread has written what it writes before the first frame.
  func settle() async throws {
    let path = try store.path(Self.id) + "/" + ArchiveFolder.temporaryName
    try await eventually { FileManager.default.fileExists(atPath: path) }
    try await Task.sleep(for: .milliseconds(100))
  }

  func path(_ file: String) throws -> String { try store.path(Self.id) + "/" + file }
}

extension FrameInbox {
  /// Pushes one frame of a sample.
  @discardableResult
  func push(
    _ kind: MediaKind, _ frame: SampleFrame, number: Int, start: MonotonicInstant = RecordingStage.start
  ) -> Bool {
    let header = EncodedFrameHeader(
      kind: kind, timestamp: start + .milliseconds(frame.milliseconds),
      duration: kind == .audio ? .milliseconds(20) : .milliseconds(33), isKeyFrame: frame.isKeyFrame,
      number: UInt32(number))
    return push(header, payload: frame.payload.span.bytes)
  }

  /// Pushes whole samples at once, which the rings are large enough for.
  func pushSamples(startingAt offset: Int64 = 0, hasVideo: Bool = true) throws {
    let start = RecordingStage.start + .milliseconds(offset)
    var pictures = try hasVideo ? SampleMedia.video().enumerated().map { $0 }[...] : []
    for (number, frame) in try SampleMedia.audio().enumerated() {
      while let picture = pictures.first, picture.element.milliseconds <= frame.milliseconds {
        #expect(push(.video, picture.element, number: picture.offset, start: start))
        pictures.removeFirst()
      }
      #expect(push(.audio, frame, number: number, start: start))
    }
    for picture in pictures { #expect(push(.video, picture.element, number: picture.offset, start: start)) }
  }
}
