public import MediaCore
public import RealtimeRuntime
public import SystemSupport

/// Captures and encodes audio and video, and publishes the frames on a ``FrameBus``.
///
/// Each kind has threads of its own, which exist only between ``start(_:)`` and ``stop(_:)``; while stopped, devices
/// are closed and nothing runs. Device failures are recovered from inside: video continues as a card at 1 fps, audio as
/// silence, and the device is reopened with growing delays. No method waits for a device, except
/// ``waitUntilIdle(timeout:)``.
public final class MediaPipeline: Sendable {
  /// What happens to the sources. Has one reader; holds the latest 64.
  public let events: AsyncStream<MediaPipelineEvent>

  private let controls: PipelineControls
  private let endEvents: @Sendable () -> Void
  private let runs = Mutex(Runs())

  private struct Runs {
    var audio: MediaThreadRun?
    var video: MediaThreadRun?
    /// Those that were stopped last; their threads may still be closing devices.
    var endedAudio: MediaThreadRun?
    var endedVideo: MediaThreadRun?
  }

  /// - Parameters:
  ///   - played: what the loudspeaker plays, to be taken out of what a microphone captures; nil to leave it in.
  ///   - observers: those who take video and audio beside the encoders.
  public convenience init(
    configuration: MediaPipelineConfiguration, bus: FrameBus, played: PlayedSound? = nil,
    observers: MediaObservers = MediaObservers()
  ) {
    self.init(
      configuration: configuration, bus: bus, played: played, observers: observers, openSource: SystemSources.open)
  }

  init(
    configuration: MediaPipelineConfiguration, bus: FrameBus, played: PlayedSound? = nil,
    observers: MediaObservers = MediaObservers(), openSource: @escaping SourceOpening
  ) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: MediaPipelineEvent.self, bufferingPolicy: .bufferingNewest(64))
    events = stream
    endEvents = { continuation.finish() }
    controls = PipelineControls(
      configuration: configuration, bus: bus, played: played, observers: observers, events: continuation,
      openSource: openSource)
  }

  deinit {
    stop([.audio, .video])
    endEvents()
  }

  /// Counters since the pipeline was made.
  public var statistics: MediaPipelineStatistics {
    var statistics = controls.counters.snapshot
    statistics.video = controls.video.status.withLock { $0 }
    statistics.echo = controls.audio.echo.withLock { $0 }
    statistics.video.abandonedThreads = controls.video.abandonedSources.load(ordering: .relaxed)
    return statistics
  }

  /// The kinds that are running now.
  public var running: Set<MediaKind> {
    runs.withLock { runs in
      var kinds: Set<MediaKind> = []
      if runs.audio != nil { kinds.insert(.audio) }
      if runs.video != nil { kinds.insert(.video) }
      return kinds
    }
  }

  /// Opens the devices of `kinds`, on their threads; those that run already are left alone.
  public func start(_ kinds: Set<MediaKind>) throws(SystemCallError) {
    try runs.withLock { (runs) throws(SystemCallError) in
      if kinds.contains(.audio), runs.audio == nil {
        runs.audio = try Self.startAudio(controls, after: runs.endedAudio)
      }
      if kinds.contains(.video), runs.video == nil {
        runs.video = try Self.startVideo(controls, after: runs.endedVideo)
      }
    }
  }

  /// Ends the threads of `kinds`, which close their devices.
  public func stop(_ kinds: Set<MediaKind>) {
    runs.withLock { runs in
      if kinds.contains(.audio), let run = runs.audio {
        run.stop()
        (runs.audio, runs.endedAudio) = (nil, run)
      }
      if kinds.contains(.video), let run = runs.video {
        run.stop()
        (runs.video, runs.endedVideo) = (nil, run)
      }
    }
  }

  /// Captures from other sources from now on, as many cameras as before. What runs is closed and opened again, and its stream
  /// continues with the next number; the rest takes effect at the next start.
  public func setSources(_ sources: MediaSources) throws(SystemCallError) {
    try runs.withLock { (runs) throws(SystemCallError) in
      let before = controls.sources.withLock { current in
        defer { current = sources }
        return current
      }
      if before.microphone != sources.microphone, let run = runs.audio {
        run.stop()
        (runs.audio, runs.endedAudio) = (nil, run)
        runs.audio = try Self.startAudio(controls, after: run)
      }
      if before.cameras != sources.cameras, let run = runs.video {
        run.stop()
        (runs.video, runs.endedVideo) = (nil, run)
        runs.video = try Self.startVideo(controls, after: run)
      }
    }
  }

  /// What it captures from.
  public var sources: MediaSources { controls.sources.withLock { $0 } }

  /// Blocks until the stopped threads have closed their devices; returns false when one has not in `timeout`, which
  /// means that a driver holds it. Not for the shared thread pool.
  public func waitUntilIdle(timeout: TimeSpan) -> Bool {
    let ended = runs.withLock { [$0.endedAudio, $0.endedVideo] }
    return ended.allSatisfy { $0?.waitUntilFinished(timeout: timeout) ?? true }
  }

  private static func startAudio(
    _ controls: PipelineControls, after predecessor: MediaThreadRun?
  ) throws(SystemCallError) -> MediaThreadRun {
    let run = try MediaThreadRun()
    try run.begin(name: "media-audio", after: predecessor) {
      do {
        var loop = try AudioLoop(controls, run)
        loop()
      } catch {
        controls.report(.failed(.audio, reason: "\(error)"))
      }
    }
    return run
  }

  private static func startVideo(
    _ controls: PipelineControls, after predecessor: MediaThreadRun?
  ) throws(SystemCallError) -> MediaThreadRun {
    let run = try MediaThreadRun()
    try run.begin(name: "media-video", after: predecessor) {
      var loop = VideoLoop(controls, run)
      loop()
    }
    return run
  }
}

// MARK: - Control while running

extension MediaPipeline {
  /// Switches to the next of the cameras configured, after the last one to the first.
  ///
  /// The next camera is opened beside the running one and replaces it with its first frame, which is a key frame of the
  /// same stream. One that does not open is reported as a failure and passed over; if none does, the running one stays.
  /// While video is stopped, the choice applies to the next start.
  public func swapCamera() throws(NoOtherCamera) {
    let count = controls.configuration.cameras.count
    guard count > 1 else { throw NoOtherCamera() }
    runs.withLock { runs in
      if let run = runs.video {
        controls.video.swapRequests.add(1, ordering: .relaxed)
        run.wake()
      } else {
        controls.video.sourceState.withLock { $0.selected = ($0.selected + 1) % count }
      }
    }
  }

  /// Asks for a key frame; at most two a second are sent, so a request may wait for a second.
  public func requestKeyFrame() { controls.video.isKeyFrameRequested.store(true, ordering: .relaxed) }

  /// Sets how far apart key frames are at most; nil, as at first: they come when asked for.
  public func setKeyFrameInterval(_ interval: TimeSpan?) {
    controls.video.keyFrameInterval.store(interval?.nanoseconds ?? 0, ordering: .relaxed)
  }

  /// Sets the encoder's target from the next frame on.
  public func setVideoBitrate(_ bitrate: Bitrate) {
    controls.video.bitrate.store(bitrate.bitsPerSecond, ordering: .relaxed)
  }

  /// Sets the packet loss in percent, which decides how much the audio encoder spends on recovery.
  public func setExpectedLoss(percent: Int) { controls.audio.expectedLoss.store(percent, ordering: .relaxed) }

  /// Makes mixes beside the device's own sound from the next packet on, in place of those before.
  public func setMixes(_ mixes: [MixMinus]) { controls.audio.mixes.set(mixes) }

  /// Replaces audio by silence, or video by a card, without closing the device.
  public func setMuted(_ isMuted: Bool, _ kind: MediaKind) {
    switch kind {
    case .audio:
      controls.audio.isMuted.store(isMuted, ordering: .relaxed)
      controls.observers.sound?.setMuted(isMuted)
    case .video:
      controls.video.isMuted.store(isMuted, ordering: .relaxed)
      controls.observers.scene?.setMuted(isMuted)
      runs.withLock { $0.video?.wake() }
    }
  }
}

/// There is only one camera, so that it cannot be swapped.
public struct NoOtherCamera: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String { "no other camera is configured" }
}
