internal import MediaCore
internal import PixelConversion
internal import RealtimeRuntime
internal import Synchronization
internal import SystemSupport
internal import MediaCodecs

/// Turns frames of any size into published ones: scales and drops them when the rate is low, encodes them, and keeps
/// the encoder in time. Owned by the video thread.
struct VideoStage: ~Copyable {
  private let controls: PipelineControls
  private let clock: () -> MonotonicInstant
  private var encoder: StillSceneEncoder?
  private var encoderSize = (width: 0, height: 0)
  private var encoderThreads = 0
  /// Of the encoded size: for the card and for scaled frames. Made when first needed.
  private var canvas = I420Buffer(width: 2, height: 2)
  private var format: Format
  private var steps = FrameSteps()
  private var limiter = RateLimiter()
  private var speed: SpeedControl
  private var keyFrames = KeyFrameSchedule()
  private var showsScene = true
  private var lastTimestamp = MonotonicInstant(nanoseconds: .min)

  /// What the source delivers.
  private struct Format: Equatable {
    var width: Int
    var height: Int
    var frameRate: Double
  }

  /// More threads for a frame wait for each other more than they work.
  static let maximumThreads = 4

  /// - Parameters:
  ///   - processors: that encoding may use.
  ///   - clock: measures what encoding takes.
  init(
    _ controls: PipelineControls, processors: Int = Processors.usableCount,
    clock: @escaping () -> MonotonicInstant = MonotonicClock.now
  ) {
    let configuration = controls.configuration
    self.controls = controls
    self.clock = clock
    speed = SpeedControl(
      usual: VP8EncoderSettings.defaultSpeed, maximumThreads: min(processors, Self.maximumThreads))
    format = Format(
      width: configuration.width, height: configuration.height, frameRate: Double(configuration.frameRate))
  }

  /// Whether a consumer waits for a key frame that may be sent now.
  func isKeyFrameDue(at now: MonotonicInstant) -> Bool {
    controls.video.isKeyFrameRequested.load(ordering: .relaxed) && keyFrames.mayAnswer(at: now)
  }

  /// Frames come from another source now: the first one will be a key frame.
  ///
  /// - Parameter isStandIn: whether they stand for a camera that is not there, so that they show no scene.
  mutating func beginSource(isStandIn: Bool = false) {
    showsScene = !isStandIn
    controls.observers.scene?.beginSource()
    encoder?.beginScene()
    keyFrames.require()
  }

  /// What is encoded now; the source's part is left open.
  var status: VideoStatus {
    VideoStatus(
      encodedWidth: encodedSize.width, encodedHeight: encodedSize.height, encodeTime: speed.encodeTime,
      speed: speed.speed, temporalLayers: temporalLayers, stillShare: stillShare,
      abandonedThreads: controls.video.abandonedSources.load(ordering: .relaxed))
  }
}

// MARK: - Publishing

extension VideoStage {
  /// Encodes a frame and publishes it, unless it has no consumer or is dropped for the rate.
  ///
  /// Motion detection precedes the overlay, which changes each second.
  ///
  /// - Parameter frameRate: what the source announces.
  mutating func publish(
    _ image: inout I420Buffer, at captured: MonotonicInstant, frameRate: Double
  ) throws(VPXError) {
    if showsScene { controls.observers.scene?.offer(image, at: captured) }
    controls.observers.overlay?.draw(into: &image, at: captured)
    controls.observers.stills?.offer(image)
    controls.observers.tap?.offer(image, at: MonotonicClock.now())
    guard isWanted(at: captured) else { return }
    adapt(to: Format(width: image.width, height: image.height, frameRate: frameRate), at: captured)
    let sourceInterval = TimeSpan(seconds: 1 / frameRate)
    let isThinned = steps.current.maximumRate < frameRate
    let interval = isThinned ? TimeSpan(seconds: 1 / steps.current.maximumRate) : sourceInterval
    if isThinned, !limiter.accepts(captured, interval: interval, sourceInterval: sourceInterval) {
      return PipelineCounters.count(controls.counters.framesThinned)
    }
    try prepareEncoder()
    let size = encodedSize
    guard size.width != image.width || size.height != image.height else {
      return try encode(image, at: captured, duration: interval)
    }
    fitCanvas()
    FrameScaler.scale(image, quarters: steps.current.quarters, into: &canvas)
    try encodeCanvas(at: captured, duration: interval)
  }

  /// Publishes the card in place of video.
  mutating func publishCard(at now: MonotonicInstant) throws(VPXError) {
    guard isWanted(at: now) else { return }
    adapt(to: format, at: now)
    try prepareEncoder()
    fitCanvas()
    PlaceholderFrame.draw(into: &canvas)
    try encodeCanvas(at: now, duration: PlaceholderFrame.interval)
  }

  /// Whether a frame is to be encoded.
  private mutating func isWanted(at now: MonotonicInstant) -> Bool {
    switch controls.bus.demand {
    case .everything: return true
    case .keyFrames:
      // One that the rate control left out is made up for with the next frame.
      let isRequested = controls.video.isKeyFrameRequested.load(ordering: .relaxed)
      return keyFrames.isDue(at: now, isRequested: isRequested, interval: nil)
    case .nothing:
      keyFrames.require()
      return false
    }
  }

  /// A new source begins with the step that its size and the rate call for.
  private mutating func adapt(to format: Format, at now: MonotonicInstant) {
    if format != self.format {
      self.format = format
      steps.reset()
    }
    let bitrate = Bitrate(bitsPerSecond: controls.video.bitrate.load(ordering: .relaxed))
    _ = steps.update(
      bitrate, width: format.width, height: format.height, frameRate: format.frameRate, now: now)
  }

  /// Of the last frame.
  private var stillShare: Double {
    switch encoder {
    case .some(let encoder): encoder.stillShare
    case .none: 0
    }
  }

  private var encodedSize: (width: Int, height: Int) {
    FrameScaler.size(width: format.width, height: format.height, quarters: steps.current.quarters)
  }

  private mutating func fitCanvas() {
    let size = encodedSize
    guard canvas.width != size.width || canvas.height != size.height else { return }
    canvas = I420Buffer(width: size.width, height: size.height)
  }
}

// MARK: - Encoding

extension VideoStage {
  private var temporalLayers: Int { min(max(controls.configuration.temporalLayers, 1), 3) }

  /// Makes a new encoder when the size or the threads have changed; it begins with a key frame.
  private mutating func prepareEncoder() throws(VPXError) {
    let size = encodedSize
    guard encoderSize != size || encoderThreads != speed.threads else { return }
    // The old one's memory is given back first.
    encoder = nil
    encoder = try StillSceneEncoder(
      VP8EncoderSettings(
        width: size.width, height: size.height, frameRate: max(1, Int(saturating: format.frameRate.rounded())),
        bitrate: Bitrate(bitsPerSecond: controls.video.bitrate.load(ordering: .relaxed)),
        temporalLayers: temporalLayers, maximumKeyFrameInterval: nil, speed: speed.speed, threads: speed.threads),
      findsStillness: controls.configuration.findsStillness)
    (encoderSize, encoderThreads) = (size, speed.threads)
    keyFrames.require()
  }

  private mutating func encodeCanvas(at captured: MonotonicInstant, duration: TimeSpan) throws(VPXError) {
    let job = beginJob(at: captured, duration: duration)
    let outcome = try job.run(canvas, &encoder)
    try finish(job, outcome)
  }

  private mutating func encode(
    _ image: borrowing I420Buffer, at captured: MonotonicInstant, duration: TimeSpan
  ) throws(VPXError) {
    let job = beginJob(at: captured, duration: duration)
    let outcome = try job.run(image, &encoder)
    try finish(job, outcome)
  }

  private mutating func beginJob(at captured: MonotonicInstant, duration: TimeSpan) -> EncodingJob {
    // A millisecond keeps two frames from sharing a timestamp of RTP's 90 kHz or of WebM.
    lastTimestamp = max(captured, lastTimestamp + .milliseconds(1))
    let isRequested = controls.video.isKeyFrameRequested.exchange(false, ordering: .relaxed)
    let interval = controls.video.keyFrameInterval.load(ordering: .relaxed)
    let forcesKeyFrame = keyFrames.isDue(
      at: lastTimestamp, isRequested: isRequested, interval: interval > 0 ? TimeSpan(nanoseconds: interval) : nil)
    if isRequested, !forcesKeyFrame { controls.video.isKeyFrameRequested.store(true, ordering: .relaxed) }
    return EncodingJob(
      controls: controls, timestamp: lastTimestamp, duration: duration,
      keyFrame: forcesKeyFrame ? demand(isRequested: isRequested) : .none, begin: clock())
  }

  private func demand(isRequested: Bool) -> KeyFrameDemand {
    switch controls.bus.demand {
    case .keyFrames: .alone
    case .everything, .nothing: isRequested ? .prompt : .scheduled
    }
  }

  private mutating func finish(_ job: EncodingJob, _ outcome: EncodingJob.Outcome) throws(VPXError) {
    // A repeated frame says nothing of how long the next one will take.
    guard outcome != .repeated else { return PipelineCounters.count(controls.counters.framesRepeated) }
    switch speed.note(clock() - job.begin, interval: job.duration) {
    case .none, .threads: break
    case .speed: try encoder?.setSpeed(speed.speed)
    }
    switch outcome {
    case .keyFrame: keyFrames.noteKeyFrame(at: job.timestamp)
    case .otherFrame, .repeated: break
    case .skipped:
      PipelineCounters.count(controls.counters.framesSkipped)
      if job.keyFrame != .none { keyFrames.require() }
    }
  }
}

/// One frame on its way through the encoder to the bus.
private struct EncodingJob {
  let controls: PipelineControls
  let timestamp: MonotonicInstant
  let duration: TimeSpan
  let keyFrame: KeyFrameDemand
  /// When work on it began.
  let begin: MonotonicInstant

  enum Outcome {
    case skipped, keyFrame, otherFrame, repeated
  }

  func run(_ image: borrowing I420Buffer, _ encoder: inout StillSceneEncoder?) throws(VPXError) -> Outcome {
    let size = (width: UInt16(image.width), height: UInt16(image.height))
    var outcome = Outcome.skipped
    var byteCount = 0
    try encoder?.setBitrate(Bitrate(bitsPerSecond: controls.video.bitrate.load(ordering: .relaxed)))
    let result = try encoder?.encode(image, at: timestamp, duration: duration, keyFrame: keyFrame) { info, payload in
      outcome = info.isKeyFrame ? .keyFrame : .otherFrame
      let header = EncodedFrameHeader(
        kind: .video, timestamp: timestamp, duration: duration, isKeyFrame: info.isKeyFrame,
        temporalLayer: info.temporalLayer, isDiscardable: info.isDiscardable,
        number: controls.video.nextFrame.wrappingAdd(1, ordering: .relaxed).oldValue, width: size.width,
        height: size.height)
      controls.bus.publish(header, payload: payload)
      count(info, byteCount: payload.byteCount)
      byteCount = payload.byteCount
    }
    if (encoder?.stillShare ?? 0) > 0 { countSaving(byteCount) }
    switch result {
    case .repeated: return .repeated
    case .dropped, .encoded, nil: return outcome
    }
  }

  /// A whole frame would have taken what the bit rate allows.
  private func countSaving(_ byteCount: Int) {
    let usual = Double(controls.video.bitrate.load(ordering: .relaxed)) / 8 * duration.seconds
    PipelineCounters.count(controls.counters.videoBytesSaved, bytes: max(0, Int(saturating: usual) - byteCount))
  }

  private func count(_ info: VP8FrameInfo, byteCount: Int) {
    PipelineCounters.count(controls.counters.framesEncoded)
    PipelineCounters.count(controls.counters.videoBytes, bytes: byteCount)
    if info.isKeyFrame { PipelineCounters.count(controls.counters.keyFrames) }
  }
}
