import Archive
import DeviceMedia
import SystemSupport
import MediaCore
import MediaPlaneAPI
import RealtimeRuntime
import Signalling

/// A disk that keeps archives in memory.
final class FakeDisk: ArchiveDisk {
  struct Refusal: Error {}

  let root = "/archives"
  let problem: String? = nil
  let recorders = Mutex<[FakeRecorder]>([])
  /// When set, an archive's opening waits here.
  let gate = Mutex<Gate?>(nil)
  /// When set, recorders are complete only after it opens.
  let stopGate = Mutex<Gate?>(nil)
  let refuses = Mutex(false)
  let refusesStream = Mutex<String?>(nil)
  let wasLimited = Mutex<[Bool]>([])
  let retention = FakeRetention()

  func open(
    _ id: ArchiveID, details: ArchiveDetails, isLimited: Bool, onEvent: @escaping @Sendable (ArchiveEvent) -> Void
  ) async throws -> any ArchiveRecording {
    await gate.withLock { $0 }?.pass()
    if refuses.withLock({ $0 }) { throw Refusal() }
    wasLimited.withLock { $0.append(isLimited) }
    let recorder = FakeRecorder(
      id, details, refusedStream: refusesStream.withLock { $0 }, stopGate: stopGate.withLock { $0 }, onEvent)
    recorders.withLock { $0.append(recorder) }
    return recorder
  }

  /// The real one: it lives in memory alone.
  func makePreRoll(span: TimeSpan, requestKeyFrame: @escaping @Sendable () -> Void) throws -> PreRoll {
    try PreRoll(span: span, requestKeyFrame: requestKeyFrame)
  }

  func startRetention(_ report: @escaping @Sendable (DeviceNotice) -> Void) throws -> any ArchiveRetaining { retention }
}

final class FakeRecorder: ArchiveRecording {
  struct Stream {
    var description: ArchiveStreamDescription
    var hasPreRoll: Bool
  }

  let id: ArchiveID
  let streams = Mutex<[Stream]>([])
  let positions = Mutex<[MonotonicInstant]>([])
  let stopReasons = Mutex<[String]>([])
  private let details: ArchiveDetails
  private let refusedStream: String?
  private let stopGate: Gate?
  private let onEvent: @Sendable (ArchiveEvent) -> Void

  init(
    _ id: ArchiveID, _ details: ArchiveDetails, refusedStream: String?, stopGate: Gate?,
    _ onEvent: @escaping @Sendable (ArchiveEvent) -> Void
  ) {
    self.id = id
    self.details = details
    self.refusedStream = refusedStream
    self.stopGate = stopGate
    self.onEvent = onEvent
  }

  var manifest: ArchiveManifest {
    ArchiveManifest(id: id, details: details, createdAt: 0, clockSynchronized: true)
  }

  var statistics: ArchiveStatistics { ArchiveStatistics() }

  func addStream(
    _ description: ArchiveStreamDescription, preRoll: PreRoll?, requestKeyFrame: @escaping @Sendable () -> Void
  ) throws -> FrameInbox {
    if description.streamID == refusedStream { throw ArchiveError.duplicateStream(description.streamID) }
    streams.withLock { $0.append(Stream(description: description, hasPreRoll: preRoll != nil)) }
    return try FrameInbox(audioBytes: 1_024, videoBytes: 1_024)
  }

  func addPosition(_ fix: PositionFix, capturedAt: MonotonicInstant) { positions.withLock { $0.append(capturedAt) } }

  func stop(reason: String) async -> ArchiveManifest {
    stopReasons.withLock { $0.append(reason) }
    await stopGate?.pass()
    return manifest
  }

  func fail() { onEvent(.failed(manifest, .stopped)) }

  func end(reason: String) {
    var manifest = manifest
    (manifest.status, manifest.reason) = (.stopped, reason)
    onEvent(.stopped(manifest))
  }

  func fallBehind() { onEvent(.fellBehind(manifest, droppedFrames: 3)) }
}

final class FakeRetention: ArchiveRetaining {
  let log = Mutex<[String]>([])
  let knownUsage = Mutex<ArchiveUsage?>(nil)

  var usage: ArchiveUsage? { knownUsage.withLock { $0 } }
  func recordingStarted() { log.withLock { $0.append("started") } }
  func recordingEnded() { log.withLock { $0.append("ended") } }
  func recordingFailed() { log.withLock { $0.append("failed") } }
  func setPlans(_ plans: [String: PlanLimits]) { log.withLock { $0.append("plans \(plans.keys.sorted())") } }
  func stop() { log.withLock { $0.append("stop") } }
}
