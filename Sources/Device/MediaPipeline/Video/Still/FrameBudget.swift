internal import MediaCore

/// How large a frame may be, and how finely it can be encoded for that.
///
/// What a still scene has saved pays for key frames that are due and for refinement, up to half a second of the rate: a pacer
/// that sends at 2.5 times the rate has that on its way in 200 ms, and what comes next is small. What moves gets half of it.
/// libvpx alone would be far off: it judges by the frames before, of which a still scene's had next to nothing to encode.
struct FrameBudget {
  /// Of the base layer, on which all else depends.
  private var savedBits = 0.0
  private var last: MonotonicInstant?
  /// Of the last key frame.
  private var keyFrame: (byteCount: Double, quantizer: Int)?

  /// What is saved at most, and of that what a frame's moving part may have; in seconds of the rate.
  private static let (most, mostOfMotion) = (0.5, 0.25)
  /// What a frame may have in any case, over its share of the rate.
  private static let leastFrames = 4.0
  /// What is left of a frame when its quantizer is a unit coarser: of 0.93 to 0.95, by the scene.
  private static let shrinkage = 0.94
  /// A block's bits when it is refined, over those that it takes when new.
  private static let refinement = 0.5

  /// A frame whose size is sought.
  struct Frame {
    /// The share of blocks that show something new; in a key frame all do.
    var newShare: Double
    /// Of those that are only refined.
    var refinedShare: Double
    /// A key frame that no viewer waits for.
    var isDue: Bool
    /// To the next frame of the base layer.
    var seconds: Double
    /// Of the base layer.
    var rate: Bitrate
  }

  /// Counts what the rate allows until now, and what the base layer took.
  mutating func note(byteCount: Int, at now: MonotonicInstant, rate: Bitrate) {
    let seconds = last.map { max(0, (now - $0).seconds) } ?? 0
    let (bits, limit) = (Double(rate.bitsPerSecond) * seconds, Double(rate.bitsPerSecond) * Self.most)
    savedBits = max(0, min(savedBits + bits, limit) - 8 * Double(byteCount))
    last = now
  }

  mutating func noteKeyFrame(byteCount: Int, quantizer: Int) { keyFrame = (Double(byteCount), quantizer) }

  /// The finest quantizer with which a frame keeps to the budget, about: by what the last key frame took.
  func finestQuantizer(_ frame: Frame, in range: ClosedRange<Int>) -> Int {
    let all = frame.newShare + frame.refinedShare * Self.refinement
    let whole = quantizer(share: all, frame, most: Self.most, in: range)
    if frame.isDue { return whole }
    return max(whole, quantizer(share: frame.newShare, frame, most: Self.mostOfMotion, in: range))
  }

  private func quantizer(share: Double, _ frame: Frame, most: Double, in range: ClosedRange<Int>) -> Int {
    guard let keyFrame else { return range.lowerBound }
    let rate = Double(frame.rate.bitsPerSecond)
    let allowed = max(min(savedBits, rate * most), rate * frame.seconds * Self.leastFrames) / 8
    var (expected, found) = (keyFrame.byteCount * share, keyFrame.quantizer)
    while found < range.upperBound, expected > allowed { (expected, found) = (expected * Self.shrinkage, found + 1) }
    while found > range.lowerBound, expected / Self.shrinkage <= allowed {
      (expected, found) = (expected / Self.shrinkage, found - 1)
    }
    return min(max(found, range.lowerBound), range.upperBound)
  }
}
