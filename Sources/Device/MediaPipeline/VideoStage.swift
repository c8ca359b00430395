internal import MediaCore
internal import PixelConversion
internal import RealtimeRuntime
internal import Synchronization
internal import VPXCodec

/// One picture buffer and the encoder for its size: turns pictures into published frames. Owned by the video thread.
struct VideoStage: ~Copyable {
  var picture: I420Buffer
  private var encoder: VP8Encoder
  private let controls: PipelineControls
  private let frameDuration: TimeSpan
  private var lastTimestamp = MonotonicInstant(nanoseconds: .min)
  private var lastKeyFrame: MonotonicInstant?
  private var keyFrameBeforeLast: MonotonicInstant?
  /// Pictures were skipped for want of consumers, or the first one is to come.
  private var needsKeyFrame = true

  /// Any second holds at most two key frames that were requested: two may follow each other at once, since a call that
  /// connects and its recording both begin with one.
  private static let keyFrameWindow = TimeSpan.seconds(1)

  init(width: Int, height: Int, frameRate: Double, controls: PipelineControls) throws(VPXError) {
    let configuration = controls.configuration
    let rate = max(1, Int(frameRate.rounded()))
    let settings = VP8EncoderSettings(
      width: width, height: height, frameRate: rate,
      bitrate: Bitrate(bitsPerSecond: controls.videoBitrate.load(ordering: .relaxed)),
      temporalLayers: configuration.temporalLayers, maximumKeyFrameInterval: configuration.maximumKeyFrameInterval)
    encoder = try VP8Encoder(settings)
    picture = I420Buffer(width: width, height: height)
    frameDuration = TimeSpan(nanoseconds: Int64(1e9 / max(frameRate, 1)))
    self.controls = controls
  }

  var width: Int { picture.width }
  var height: Int { picture.height }

  mutating func convert(
    _ frame: RawSpan, format: PixelFormat, bytesPerLine: Int
  ) throws(PixelConversionError) {
    try PixelConverter.convert(frame, format: format, bytesPerLine: bytesPerLine, into: &picture)
  }

  /// Whether somebody waits for a key frame that may be sent now.
  func isKeyFrameDue(at timestamp: MonotonicInstant) -> Bool {
    guard controls.isKeyFrameRequested.load(ordering: .relaxed) else { return false }
    return keyFrameBeforeLast.map { timestamp - $0 >= Self.keyFrameWindow } ?? true
  }

  /// Encodes the picture as it is now and publishes the frame.
  ///
  /// - Parameter duration: how long it is shown; nil for the source's usual interval.
  mutating func publish(at captured: MonotonicInstant, duration: TimeSpan? = nil) throws(VPXError) {
    guard controls.bus.hasConsumers else {
      needsKeyFrame = true
      return
    }
    // A millisecond keeps two pictures from sharing a timestamp of RTP's 90 kHz or of WebM.
    let timestamp = max(captured, lastTimestamp + .milliseconds(1))
    lastTimestamp = timestamp
    try encoder.setBitrate(Bitrate(bitsPerSecond: controls.videoBitrate.load(ordering: .relaxed)))
    let forcesKeyFrame = needsKeyFrame || isKeyFrameDue(at: timestamp)
    if forcesKeyFrame { controls.isKeyFrameRequested.store(false, ordering: .relaxed) }
    let outcome = try Self.encode(
      picture, with: &encoder, at: timestamp, duration: duration ?? frameDuration, forcesKeyFrame: forcesKeyFrame,
      controls)
    if outcome == .keyFrame {
      keyFrameBeforeLast = lastKeyFrame
      lastKeyFrame = timestamp
      needsKeyFrame = false
    }
  }

  private enum Outcome {
    case leftOut, keyFrame, otherFrame
  }

  private static func encode(
    _ picture: borrowing I420Buffer, with encoder: inout VP8Encoder, at timestamp: MonotonicInstant,
    duration: TimeSpan, forcesKeyFrame: Bool, _ controls: PipelineControls
  ) throws(VPXError) -> Outcome {
    let size = (width: UInt16(picture.width), height: UInt16(picture.height))
    var outcome = Outcome.leftOut
    try encoder.encode(
      picture.view, at: timestamp, duration: duration, forcesKeyFrame: forcesKeyFrame
    ) { info, payload in
      outcome = info.isKeyFrame ? .keyFrame : .otherFrame
      let header = EncodedFrameHeader(
        kind: .video, timestamp: timestamp, duration: duration, isKeyFrame: info.isKeyFrame,
        temporalLayer: info.temporalLayer, isDiscardable: info.isDiscardable,
        number: controls.takePictureNumber(), width: size.width, height: size.height)
      controls.bus.publish(header, payload: payload)
      controls.countPicture(byteCount: payload.byteCount, isKeyFrame: info.isKeyFrame)
    }
    if outcome == .leftOut { PipelineCounters.count(controls.counters.picturesLeftOut) }
    return outcome
  }
}

extension PipelineControls {
  fileprivate func takePictureNumber() -> UInt32 { nextPicture.wrappingAdd(1, ordering: .relaxed).oldValue }

  fileprivate func countPicture(byteCount: Int, isKeyFrame: Bool) {
    PipelineCounters.count(counters.picturesEncoded)
    PipelineCounters.count(counters.videoBytes, byteCount)
    if isKeyFrame { PipelineCounters.count(counters.keyFrames) }
  }
}
