/// How much noise a camera's samples have, by brightness, as it shows in sums over the quarters of blocks.
///
/// It is learned from blocks that are still, and from two frames alone where nothing is known.
struct NoiseEstimate {
  /// What noise alone does to a quarter's sums.
  struct Level {
    /// The mean sum of absolute differences.
    var absolute: Float
    /// Its mean deviation from that.
    var deviation: Float
    /// The mean of the absolute sum of differences.
    var signed: Float

    /// As white noise of this strength has it.
    ///
    /// Of n samples the sum of absolute differences is 0.80 n σ and deviates by 0.48 √n σ; their sum is 0.80 √n σ.
    init(absolute: Float) {
      let root = Float(NoiseEstimate.samples).squareRoot()
      self.absolute = absolute
      deviation = absolute * 0.6 / root
      signed = absolute / root
    }
  }

  /// The largest sums of a quarter that noise alone explains.
  private struct Limit {
    var absolute: Int32 = 0
    var signed: Int32 = 0
  }

  /// Of a quarter that are compared.
  static let samples = 32
  /// Of luma, after which one follows for chroma.
  private static let lumaBins = 8
  static let chroma = lumaBins
  private static let binCount = lumaBins + 1
  /// Noise stronger than this, a mean difference of 8 of 255, is taken for motion.
  private static let maximum = Float(8 * samples)
  private static let weight = Float(1) / 16
  private static let largestGrowth = Float(1.5)
  /// Of a block's sum, over the mean of a quarter's: 1.4 standard deviations of white noise.
  private static let largestShift = Float(3.5)
  /// Quarters that a bin needs to follow them.
  private static let fewest = 16
  /// Of samples in a mean, for which limits are kept.
  private static let largestMean = 32

  private var levels = InlineArray<9, Level>(repeating: Level(absolute: 0))
  /// What two frames showed.
  private var learned = InlineArray<9, Level>(repeating: Level(absolute: 0))
  private var sums = InlineArray<9, Sum>(repeating: Sum())
  private var histogram: [Int32]
  /// By bin, and by the number of samples in the mean that a frame is compared with.
  private var limits: [Limit]

  private struct Sum {
    var count = 0
    var absolute: Float = 0
    var deviation: Float = 0
    var signed: Float = 0
  }

  init() {
    histogram = Array(repeating: 0, count: Self.binCount * Self.steps)
    limits = Array(repeating: Limit(), count: Self.binCount * (Self.largestMean + 1))
  }

  /// The bin of a mean sample.
  static func bin(of luma: UInt8) -> Int { Int(luma) / (256 / lumaBins) }

  /// The standard deviation of a sample's noise, over all brightnesses seen.
  private(set) var deviation: Float = 0

  /// Whether noise alone may make this difference of a frame from a mean, at 5.6 standard deviations.
  ///
  /// - Parameter count: samples in the mean.
  @inline(__always)
  func explains(_ difference: BlockDifference, bin: Int, count: UInt8) -> Bool {
    let limit = limits[bin &* (Self.largestMean + 1) &+ Int(count)]
    let (absolute, signed) = (difference.absolute, difference.signed)
    let excess =
      (SIMD4(repeating: limit.absolute) &- absolute) | (SIMD4(repeating: limit.signed) &- signed)
      | (SIMD4(repeating: limit.signed) &+ signed)
    let sum = (signed[0] &+ signed[1]) &+ (signed[2] &+ signed[3])
    let sumExcess = (2 &* limit.signed &- sum) | (2 &* limit.signed &+ sum)
    // None is negative.
    return (excess[0] | excess[1]) | (excess[2] | excess[3]) | sumExcess >= 0
  }

  private static let tolerance = Float(7)
  /// What rounding to whole samples may add to a sum.
  private static let rounding = Float(samples) / 2

  private mutating func updateLimits() {
    var index = 0
    for bin in 0..<Self.binCount {
      let level = levels[bin]
      for count in 0...Self.largestMean {
        // The noise of the difference between a sample and a mean of n of them, over a sample's.
        let factor = (1 + 1 / Float(max(count, 1))).squareRoot()
        limits[index].absolute = Int32(
          (level.absolute + Self.tolerance * level.deviation) * factor + Self.rounding)
        limits[index].signed = Int32(Self.tolerance * level.signed * factor + Self.rounding)
        index += 1
      }
    }
  }

  // MARK: - From still blocks

  /// Light that changes slowly is no noise: blocks whose mean has moved are left out.
  mutating func note(_ difference: BlockDifference, bin: Int) {
    let level = levels[bin]
    let shift = Float(abs(difference.signed[0] + difference.signed[1] + difference.signed[2] + difference.signed[3]))
    guard shift <= Self.largestShift * level.signed + Self.rounding else { return }
    var sum = sums[bin]
    for quarter in 0..<4 {
      let absolute = Float(difference.absolute[quarter])
      sum.absolute += absolute
      sum.deviation += abs(absolute - level.absolute)
      sum.signed += abs(Float(difference.signed[quarter]))
    }
    sum.count += 4
    sums[bin] = sum
  }

  /// Follows what was noted since the last call.
  mutating func update() {
    for bin in 0..<Self.binCount where sums[bin].count >= Self.fewest {
      let (sum, count, learned) = (sums[bin], Float(sums[bin].count), learned[bin])
      var level = levels[bin]
      Self.follow(&level.absolute, sum.absolute / count, most: learned.absolute)
      Self.follow(&level.deviation, sum.deviation / count, most: learned.deviation)
      Self.follow(&level.signed, sum.signed / count, most: 2 * learned.signed)
      (levels[bin], sums[bin]) = (level, Sum())
    }
    updateDeviation()
    updateLimits()
  }

  /// More noise than that is learned from two frames again, since the scene seems to move then.
  private static func follow(_ value: inout Float, _ found: Float, most: Float) {
    value = min(value + (found - value) * weight, most * largestGrowth + rounding / 2)
  }

  private mutating func updateDeviation() {
    var highest: Float = 0
    for bin in 0..<Self.lumaBins { highest = max(highest, levels[bin].absolute) }
    deviation = highest / (0.8 * Float(Self.samples))
  }

  // MARK: - From two frames

  /// Steps of the histogram, each a mean difference of an eighth.
  private static let steps = 65
  private static let stepsPerSum = Float(8) / Float(samples)
  /// Noise has both signs: more of a sum than this is motion or light.
  private static let maximumBias = Float(0.45)
  /// The share of quarters that must look like noise.
  private static let leastShare = 0.5
  /// Of the noise, from one comparison to the other.
  private static let largestChange = Float(0.1)

  mutating func notePair(_ difference: BlockDifference, bin: Int) {
    for quarter in 0..<4 {
      let absolute = Float(difference.absolute[quarter])
      guard abs(Float(difference.signed[quarter])) <= absolute * Self.maximumBias + 6 else { continue }
      let step = Int(absolute * Self.stepsPerSum)
      if step < Self.steps { histogram[bin * Self.steps + step] += 1 }
    }
  }

  /// Takes over what two frames without motion show, whose difference has the noise of both.
  ///
  /// - Parameter blocks: that were compared.
  /// - Returns: whether enough of them look like noise.
  mutating func learnPair(blocks: Int) -> Bool {
    defer { for index in 0..<Self.binCount * Self.steps { histogram[index] = 0 } }
    let total = noted(in: 0..<Self.lumaBins)
    guard Double(total) >= Double(4 * blocks) * Self.leastShare else { return false }
    let whole = median(of: 0..<Self.lumaBins, total: total)
    for bin in 0..<Self.binCount {
      let count = noted(in: bin..<bin + 1)
      let found = count >= Self.fewest ? median(of: bin..<bin + 1, total: count) : whole
      levels[bin] = Level(absolute: found / Float(2).squareRoot())
      learned[bin] = levels[bin]
    }
    updateDeviation()
    updateLimits()
    return true
  }

  /// Whether the frame after those two differs from the first as the second did: what moves differs more with time.
  mutating func confirmPair(blocks: Int) -> Bool {
    let before = deviation
    return learnPair(blocks: blocks) && abs(deviation - before) <= before * Self.largestChange + 0.1
  }

  private func noted(in bins: Range<Int>) -> Int32 {
    var count: Int32 = 0
    for index in bins.lowerBound * Self.steps..<bins.upperBound * Self.steps { count += histogram[index] }
    return count
  }

  private func median(of bins: Range<Int>, total: Int32) -> Float {
    var seen: Int32 = 0
    for step in 0..<Self.steps {
      for bin in bins { seen += histogram[bin * Self.steps + step] }
      if seen * 2 >= total { return (Float(step) + 0.5) / Self.stepsPerSum }
    }
    return Self.maximum
  }
}
