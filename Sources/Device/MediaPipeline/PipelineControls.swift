internal import MediaCore
internal import RealtimeRuntime
internal import Locking

/// What control sets and the media threads read, and what outlives a single run of a thread.
final class PipelineControls: Sendable {
  let configuration: MediaPipelineConfiguration
  let bus: FrameBus
  let counters = PipelineCounters()
  let openSource: SourceOpening
  let sourceState = Mutex(VideoSourceState())
  /// How many cameras to go on by.
  let swapRequests = Atomic<Int>(0)
  /// Threads of sources that drivers hold.
  let abandonedSources = Atomic<Int>(0)
  let videoStatus = Mutex(VideoStatus())
  let isKeyFrameRequested = Atomic<Bool>(false)
  /// Nanoseconds; 0: only on request.
  let keyFrameInterval = Atomic<Int64>(0)
  let videoBitrate: Atomic<Int>
  let expectedLoss = Atomic<Int>(0)
  let isVideoMuted = Atomic<Bool>(false)
  let isAudioMuted = Atomic<Bool>(false)
  /// The `number` of the next frame; streams keep counting when they are stopped and started.
  let nextPicture = Atomic<UInt32>(0)
  let nextPacket = Atomic<UInt32>(0)
  private let events: AsyncStream<MediaPipelineEvent>.Continuation

  init(
    configuration: MediaPipelineConfiguration, bus: FrameBus, events: AsyncStream<MediaPipelineEvent>.Continuation,
    openSource: @escaping SourceOpening = SystemSources.open
  ) {
    self.configuration = configuration
    self.bus = bus
    self.events = events
    self.openSource = openSource
    videoBitrate = Atomic(configuration.videoBitrate.bitsPerSecond)
  }

  /// Tells control. Costs allocations, so it is for changes of state, never for each frame.
  func report(_ event: MediaPipelineEvent) { events.yield(event) }
}
