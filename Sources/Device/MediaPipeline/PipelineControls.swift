internal import AudioProcessing
internal import MediaCore
internal import RealtimeRuntime
internal import SystemSupport

/// Those who take or mark video and audio beside the encoders, on the encoders' threads; nil for none.
public struct MediaObservers: Sendable {
  /// Drawn into frames, after motion detection and before all other consumers.
  public var overlay: FrameOverlay?
  /// Serves snapshots.
  public var stills: SnapshotEncoder?
  /// Hands frames to a mosaic.
  public var tap: FrameTap?
  /// Detects events in the camera's frames.
  public var scene: MotionMonitor?
  /// Listens for events.
  public var sound: SoundWatch?

  public init(
    overlay: FrameOverlay? = nil, stills: SnapshotEncoder? = nil, scene: MotionMonitor? = nil, sound: SoundWatch? = nil
  ) {
    self.overlay = overlay
    self.stills = stills
    self.scene = scene
    self.sound = sound
  }
}

/// What control sets and the media threads read, and what outlives a single run of a thread.
final class PipelineControls: Sendable {
  let configuration: MediaPipelineConfiguration
  /// In place of those of the configuration.
  let sources: Mutex<MediaSources>
  let bus: FrameBus
  /// What the loudspeaker plays; nil if its echo is to be left in.
  let played: PlayedSound?
  let observers: MediaObservers
  let counters = PipelineCounters()
  let audio: AudioControls
  let video: VideoControls
  private let events: AsyncStream<MediaPipelineEvent>.Continuation

  init(
    configuration: MediaPipelineConfiguration, bus: FrameBus, played: PlayedSound? = nil,
    observers: MediaObservers = MediaObservers(), events: AsyncStream<MediaPipelineEvent>.Continuation,
    openSource: @escaping SourceOpening = SystemSources.open
  ) {
    self.configuration = configuration
    sources = Mutex(configuration.sources)
    self.bus = bus
    self.played = played
    self.observers = observers
    self.events = events
    audio = AudioControls(printed: PrintedLines { events.yield(.printed(.audio, line: $0)) })
    video = VideoControls(
      openSource: openSource, bitrate: configuration.videoBitrate,
      printed: PrintedLines { events.yield(.printed(.video, line: $0)) })
  }

  /// Reports to control. Costs allocations, so it is for changes of state, never for each frame.
  func report(_ event: MediaPipelineEvent) { events.yield(event) }
}

/// What control and the thread of sound share.
struct AudioControls: ~Copyable, Sendable {
  /// Percent of packets.
  let expectedLoss = Atomic<Int>(0)
  let isMuted = Atomic<Bool>(false)
  /// The `number` of the next packet; the stream keeps counting when it is stopped and started.
  let nextPacket = Atomic<UInt32>(0)
  /// What talkers hear of each other.
  let mixes = MixMinusProgram()
  /// Nil while no echo is cancelled.
  let echo = Mutex<EchoControlStatistics?>(nil)
  let printed: PrintedLines

  init(printed: PrintedLines) { self.printed = printed }
}

/// What control and the video threads share.
struct VideoControls: ~Copyable, Sendable {
  let openSource: SourceOpening
  let sourceState = Mutex(VideoSourceState())
  /// How many cameras to advance.
  let swapRequests = Atomic<Int>(0)
  /// Threads of sources that drivers hold.
  let abandonedSources = Atomic<Int>(0)
  let status = Mutex(VideoStatus())
  let isKeyFrameRequested = Atomic<Bool>(false)
  /// Nanoseconds; 0: only on request.
  let keyFrameInterval = Atomic<Int64>(0)
  /// The encoder's target, in bits a second.
  let bitrate: Atomic<Int>
  let isMuted = Atomic<Bool>(false)
  /// The `number` of the next frame; the stream keeps counting when it is stopped and started.
  let nextFrame = Atomic<UInt32>(0)

  let printed: PrintedLines

  init(openSource: @escaping SourceOpening, bitrate: Bitrate, printed: PrintedLines) {
    self.openSource = openSource
    self.printed = printed
    self.bitrate = Atomic(bitrate.bitsPerSecond)
  }
}
