import DeviceMedia
import SystemSupport
import MediaCore
import Signalling

@testable import MediaPipeline

/// A pipeline without devices.
final class FakePipeline: CapturePipeline {
  struct State {
    var running: Set<MediaKind> = []
    /// Times that devices were opened.
    var openings = 0
    var refusesStart = false
    var hasOtherCamera = true
    var keyFrameRequests = 0
    var keyFrameInterval: TimeSpan?
    var videoBitrates: [Bitrate] = []
    var expectedLosses: [Int] = []
    var mixes: [MixMinus] = []
    var muted: Set<MediaKind> = []
    var sources: MediaSources?
  }

  struct Refusal: Error {}

  let state = Mutex(State())
  let events: AsyncStream<MediaPipelineEvent>
  private let sink: AsyncStream<MediaPipelineEvent>.Continuation

  init() { (events, sink) = AsyncStream.makeStream(of: MediaPipelineEvent.self) }

  func emit(_ event: MediaPipelineEvent) { sink.yield(event) }

  var running: Set<MediaKind> { state.withLock { $0.running } }
  var keyFrameInterval: TimeSpan? { state.withLock { $0.keyFrameInterval } }
  var statistics: MediaPipelineStatistics { MediaPipelineStatistics() }

  func start(_ kinds: Set<MediaKind>) throws {
    try state.withLock { state in
      if state.refusesStart { throw Refusal() }
      if !kinds.isSubset(of: state.running) { state.openings += 1 }
      state.running.formUnion(kinds)
    }
  }

  func stop(_ kinds: Set<MediaKind>) { state.withLock { $0.running.subtract(kinds) } }

  func swapCamera() throws {
    guard state.withLock({ $0.hasOtherCamera }) else { throw NoOtherCamera() }
  }

  func setSources(_ sources: MediaSources) { state.withLock { $0.sources = sources } }
  func requestKeyFrame() { state.withLock { $0.keyFrameRequests += 1 } }
  func setKeyFrameInterval(_ interval: TimeSpan?) { state.withLock { $0.keyFrameInterval = interval } }
  func setVideoBitrate(_ bitrate: Bitrate) { state.withLock { $0.videoBitrates.append(bitrate) } }
  func setMixes(_ mixes: [MixMinus]) { state.withLock { $0.mixes = mixes } }
  func setExpectedLoss(percent: Int) { state.withLock { $0.expectedLosses.append(percent) } }

  func setMuted(_ isMuted: Bool, _ kind: MediaKind) {
    state.withLock { state in
      if isMuted { state.muted.insert(kind) } else { state.muted.remove(kind) }
    }
  }
}
