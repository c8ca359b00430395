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
  /// Every frame is one, seconds apart, as in a time-lapse: nothing is between them that could be still.
  case alone
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
  /// Of the frame, what the decoder was not shown before, and what it was shown coarsely.
  private var (newShare, refinedShare) = (1.0, 0.0)
  /// Frames that were encoded whole; as many as ``framesOfChange`` at most.
  private var framesSinceStillness = framesOfChange
  private var budget = FrameBudget()
  private let temporalLayers: Int

  /// The finest quantizer for a scene without noise, and what each unit of the noise's standard deviation adds: about as
  /// near to the scene as encoding every frame comes, where that has bits enough.
  private static let finest = 5.0
  private static let coarseningByNoise = 3.5
  private static let coarsestFloor = 28
  /// Of a scheduled key frame, above the mean of what it replaces.
  private static let keyFrameMargin = 2
  /// A prompt key frame may use the bits of this gap and no more.
  private static let promptGap = TimeSpan.milliseconds(100)
  /// Any other frame after repeated ones, which have left bits over, may use those of this one: more at once would take the
  /// path too long.
  private static let longestGap = TimeSpan.milliseconds(250)

  /// After so many frames of a scene that is no longer still, libvpx judges their sizes rightly again.
  private static let framesOfChange = 30

  /// - Parameter findsStillness: false encodes every frame whole.
  init(_ settings: VP8EncoderSettings, findsStillness: Bool) throws(VPXError) {
    var settings = settings
    settings.repeatsFrames = findsStillness
    temporalLayers = settings.temporalLayers
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
    encoder.longestGap = longestGap(moment)
    if keyFrame == .alone {
      (stillShare, framesSinceStillness) = (0, Self.framesOfChange)
      return try encodeAll(image, moment, body)
    }
    // Taken out meanwhile, since the encoder is changed beside it. A failure ends both.
    guard var analysis = analysis.take() else { return try encodeAll(image, moment, body) }
    let outcome = try encode(image, moment, &analysis, body)
    self.analysis = consume analysis
    return outcome
  }

  /// libvpx has the frames of each layer as far apart as those of all would be.
  private func longestGap(_ moment: Moment) -> TimeSpan {
    if moment.keyFrame == .prompt { return Self.promptGap }
    guard analysis != nil, moment.keyFrame != .alone else { return VP8Encoder.usualLongestGap }
    return max(moment.duration + moment.duration, Self.longestGap / Int64(temporalLayers))
  }

  private mutating func encode(
    _ image: borrowing I420Buffer, _ moment: Moment, _ analysis: inout StillnessAnalysis,
    _ body: (VP8FrameInfo, RawSpan) -> Void
  ) throws(VPXError) -> Outcome {
    let isKeyFrame = moment.keyFrame != .none
    let verdict = analysis.analyze(
      image, refreshesAll: isKeyFrame, isReference: isKeyFrame || encoder.isReferenceNext)
    stillShare = analysis.stillShare
    switch verdict {
    case .everything:
      (newShare, refinedShare) = (1, 0)
      framesSinceStillness = min(framesSinceStillness + 1, Self.framesOfChange)
      return try encodeAll(image, moment, body)
    case .blocks(let count):
      // All of a scene that is still from now on is new to the decoder.
      newShare = framesSinceStillness > 0 ? 1 : 1 - stillShare
      refinedShare = max(0, analysis.share(of: count) - newShare)
      framesSinceStillness = 0
      if count == 0, !isKeyFrame, repeatFrame(moment, body) { return .repeated }
      return try encodeBlocks(of: &analysis, moment, body)
    }
  }

  private struct Moment {
    var timestamp: MonotonicInstant
    var duration: TimeSpan
    var keyFrame: KeyFrameDemand
  }

  private mutating func repeatFrame(_ moment: Moment, _ body: (VP8FrameInfo, RawSpan) -> Void) -> Bool {
    var byteCount = 0
    let isRepeated = encoder.repeatFrame { info, payload in
      byteCount = payload.byteCount
      body(info, payload)
    }
    if isRepeated { budget.note(byteCount: byteCount, at: moment.timestamp, rate: baseRate) }
    return isRepeated
  }

  private mutating func encodeAll(
    _ image: borrowing I420Buffer, _ moment: Moment, _ body: (VP8FrameInfo, RawSpan) -> Void
  ) throws(VPXError) -> Outcome {
    var quantizers = VP8EncoderSettings.usualQuantizers
    try useMap(nil)
    if framesSinceStillness < Self.framesOfChange {
      quantizers = finest(in: quantizers, moment)...quantizers.upperBound
    }
    try encoder.setQuantizers(quantizers)
    return try submit(image, moment, body) == nil ? .dropped : .encoded
  }

  private mutating func encodeBlocks(
    of analysis: inout StillnessAnalysis, _ moment: Moment, _ body: (VP8FrameInfo, RawSpan) -> Void
  ) throws(VPXError) -> Outcome {
    analysis.finest = min(
      Int(saturating: (Self.finest + Self.coarseningByNoise * analysis.noise).rounded()), Self.coarsestFloor)
    try useMap(moment.keyFrame == .none ? analysis.activeMap : nil)
    try encoder.setQuantizers(quantizers(for: moment, analysis))
    guard let info = try submit(analysis.given, moment, body) else {
      analysis.noteDropped()
      return .dropped
    }
    // What only a higher layer's frame shows is not there for later ones to keep.
    if info.temporalLayer == 0 {
      analysis.noteEncoded(quantizer: try encoder.lastQuantizer(), isKeyFrame: info.isKeyFrame)
    }
    return .encoded
  }

  /// - Returns: nil when the rate control dropped the frame.
  private mutating func submit(
    _ image: borrowing I420Buffer, _ moment: Moment, _ body: (VP8FrameInfo, RawSpan) -> Void
  ) throws(VPXError) -> VP8FrameInfo? {
    var (delivered, byteCount) = (VP8FrameInfo?.none, 0)
    try encoder.encode(
      image.view, at: moment.timestamp, duration: moment.duration, forcesKeyFrame: moment.keyFrame != .none
    ) { info, payload in
      (delivered, byteCount) = (info, payload.byteCount)
      body(info, payload)
    }
    if delivered?.temporalLayer == 0 { budget.note(byteCount: byteCount, at: moment.timestamp, rate: baseRate) }
    if delivered?.isKeyFrame == true {
      budget.noteKeyFrame(byteCount: byteCount, quantizer: try encoder.lastQuantizer())
    }
    return delivered
  }

  /// What key frames are paid with.
  private var baseRate: Bitrate {
    VP8EncoderSettings.baseRate(of: encoder.bitrate, temporalLayers: temporalLayers)
  }

  /// Bits that stillness saves are not spent on noise; a scheduled key frame gets what it takes and has been saved.
  private func quantizers(
    for moment: Moment, _ analysis: borrowing StillnessAnalysis
  ) -> ClosedRange<Int> {
    let range = analysis.finest...VP8EncoderSettings.usualQuantizers.upperBound
    switch moment.keyFrame {
    case .none, .prompt, .alone: return finest(in: range, moment)...range.upperBound
    case .scheduled:
      let replaced = min(max(analysis.meanQuantizer + Self.keyFrameMargin, range.lowerBound), range.upperBound)
      let quantizer = finest(in: replaced...range.upperBound, moment)
      return quantizer...quantizer
    }
  }

  private func finest(in range: ClosedRange<Int>, _ moment: Moment) -> Int {
    let seconds = moment.duration.seconds * Double(encoder.framesPerBaseFrame)
    let isWhole = moment.keyFrame != .none
    let frame = FrameBudget.Frame(
      newShare: isWhole ? 1 : newShare, refinedShare: isWhole ? 0 : refinedShare, isDue: moment.keyFrame == .scheduled,
      seconds: seconds, rate: baseRate)
    return budget.finestQuantizer(frame, in: range)
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
