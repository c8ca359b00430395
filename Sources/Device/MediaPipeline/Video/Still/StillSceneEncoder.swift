internal import MediaCore
internal import MotionDetection
internal import MediaCodecs

/// Why a frame has to be a key frame.
enum KeyFrameDemand {
  case none
  /// A consumer waits for it: it has to arrive soon, and later frames refine it.
  case prompt
  /// It is due by schedule: it must not look worse than what it replaces.
  case scheduled
}

/// Encodes frames of one size, spending next to nothing on what does not change.
///
/// The still parts of a scene are encoded without their noise, as finely as the noise allows to tell, and then left
/// alone; when nothing is left to encode, frames repeat the last one without any work of libvpx.
struct StillSceneEncoder: ~Copyable {
  enum Outcome {
    case dropped, encoded, repeated
  }

  private var encoder: VP8Encoder
  /// Nil when every frame is encoded as it is.
  private var analysis: StillnessAnalysis?
  private var usesMap = false

  /// The finest quantizer for a scene without noise, and what each unit of the noise's standard deviation adds: about as
  /// near to the scene as encoding every frame comes, where that has bits enough.
  private static let finest = 7.0
  private static let coarseningByNoise = 4.0
  private static let coarsestFloor = 28
  /// Of a scheduled key frame, above the mean of what it replaces.
  private static let keyFrameMargin = 2
  /// A prompt key frame may use the bits of this gap and no more.
  private static let promptGap = TimeSpan.milliseconds(100)
  /// Of the first frame in which most of a still scene changes: saved bits would make it so large that it came late.
  private static let finestOfChange = 24

  /// - Parameter findsStillness: false encodes every frame whole.
  init(_ settings: VP8EncoderSettings, findsStillness: Bool) throws(VPXError) {
    encoder = try VP8Encoder(settings)
    analysis = findsStillness ? StillnessAnalysis(width: settings.width, height: settings.height) : nil
  }

  /// The share of the last frame that was still, 0 to 1.
  private(set) var stillShare = 0.0

  mutating func setSpeed(_ speed: Int) throws(VPXError) { try encoder.setSpeed(speed) }
  mutating func setBitrate(_ bitrate: Bitrate) throws(VPXError) { try encoder.setBitrate(bitrate) }

  /// Frames show another scene now.
  mutating func beginScene() {
    analysis?.reset()
    stillShare = 0
  }

  /// Encodes a frame, or repeats the last one, and lends the payload to `body` during the call.
  mutating func encode(
    _ image: borrowing I420Buffer, at timestamp: MonotonicInstant, duration: TimeSpan, keyFrame: KeyFrameDemand,
    _ body: (VP8FrameInfo, RawSpan) -> Void
  ) throws(VPXError) -> Outcome {
    let moment = Moment(timestamp: timestamp, duration: duration, keyFrame: keyFrame)
    encoder.longestGap = keyFrame == .prompt ? Self.promptGap : VP8Encoder.usualLongestGap
    // Taken out meanwhile, since the encoder is changed beside it. A failure ends both.
    guard var analysis = analysis.take() else { return try encodeAll(image, moment, isChange: false, body) }
    let outcome = try encode(image, moment, &analysis, body)
    self.analysis = consume analysis
    return outcome
  }

  private mutating func encode(
    _ image: borrowing I420Buffer, _ moment: Moment, _ analysis: inout StillnessAnalysis,
    _ body: (VP8FrameInfo, RawSpan) -> Void
  ) throws(VPXError) -> Outcome {
    let wasStill = stillShare > 0
    let verdict = analysis.analyze(image, refreshesAll: moment.keyFrame != .none)
    stillShare = analysis.stillShare
    switch verdict {
    case .everything: return try encodeAll(image, moment, isChange: wasStill, body)
    case .blocks(let count):
      if count == 0, moment.keyFrame == .none, encoder.repeatFrame(body) { return .repeated }
      return try encodeBlocks(of: &analysis, moment, body)
    }
  }

  private struct Moment {
    var timestamp: MonotonicInstant
    var duration: TimeSpan
    var keyFrame: KeyFrameDemand
  }

  private mutating func encodeAll(
    _ image: borrowing I420Buffer, _ moment: Moment, isChange: Bool, _ body: (VP8FrameInfo, RawSpan) -> Void
  ) throws(VPXError) -> Outcome {
    let usual = VP8EncoderSettings.usualQuantizers
    try useMap(nil)
    try encoder.setQuantizers(isChange ? Self.finestOfChange...usual.upperBound : usual)
    let isEncoded = try encoder.encode(
      image.view, at: moment.timestamp, duration: moment.duration, forcesKeyFrame: moment.keyFrame != .none, body)
    return isEncoded ? .encoded : .dropped
  }

  private mutating func encodeBlocks(
    of analysis: inout StillnessAnalysis, _ moment: Moment, _ body: (VP8FrameInfo, RawSpan) -> Void
  ) throws(VPXError) -> Outcome {
    let isForced = moment.keyFrame != .none
    analysis.finest = min(
      Int(saturating: (Self.finest + Self.coarseningByNoise * analysis.noise).rounded()), Self.coarsestFloor)
    try useMap(isForced ? nil : analysis.activeMap)
    try encoder.setQuantizers(quantizers(for: moment.keyFrame, analysis))
    var info: VP8FrameInfo?
    let isEncoded = try encoder.encode(
      analysis.given.view, at: moment.timestamp, duration: moment.duration, forcesKeyFrame: isForced
    ) { found, payload in
      info = found
      body(found, payload)
    }
    guard isEncoded, let info else {
      analysis.noteDropped()
      return .dropped
    }
    // What only a higher layer's frame shows is not there for later ones to keep.
    if info.temporalLayer == 0 {
      analysis.noteEncoded(quantizer: try encoder.lastQuantizer(), isKeyFrame: info.isKeyFrame)
    }
    return .encoded
  }

  /// Bits that stillness saves are not spent on noise; a scheduled key frame gets what it takes.
  private func quantizers(
    for keyFrame: KeyFrameDemand, _ analysis: borrowing StillnessAnalysis
  ) -> ClosedRange<Int> {
    let coarsest = VP8EncoderSettings.usualQuantizers.upperBound
    switch keyFrame {
    case .none, .prompt: return analysis.finest...coarsest
    case .scheduled:
      let replaced = analysis.meanQuantizer + Self.keyFrameMargin
      return analysis.finest...max(analysis.finest, min(replaced, coarsest))
    }
  }

  private mutating func useMap(_ map: [UInt8]?) throws(VPXError) {
    if let map {
      try encoder.setActiveMap(map.span)
    } else if usesMap {
      try encoder.setActiveMap(nil)
    }
    usesMap = map != nil
  }
}
