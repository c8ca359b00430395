/// Follows the power of steady noise by bin: the least of the smoothed power, which may rise by some 4 dB a second, and
/// hardly during echo.
struct NoiseEstimator: ~Copyable {
  /// The mean power by bin, and its sums by band.
  let power = FloatBuffer(count: Audio.bins, repeating: NoiseEstimator.least)
  let bands = FloatBuffer(count: Bands.count)
  private let smoothed = FloatBuffer(count: Audio.bins)
  private let minimum = FloatBuffer(count: Audio.bins, repeating: NoiseEstimator.least)
  private var blocks = 0

  /// A power that no sound card keeps below.
  private static let least: Float = 1e-6
  private static let overestimation: Float = 1.5
  private static let smoothing: Float = 0.8
  private static let rise: Float = 1.01
  /// Residual echo is no noise.
  private static let echoingRise: Float = 1.002
  /// In the first half second without echo nothing is known, so it rises faster.
  private static let firstRise: Float = 1.2
  private static let firstBlocks = 50
  private static let fall: Float = 0.3
  /// The mean relative to the minimum.
  private static let bias: Float = 2

  /// The gain that takes noise out of a bin with this power: its own, or where that is steady the smoothed one, so that noise
  /// does not flicker.
  func gain(_ bin: Int, present: Float, floor: Float) -> Float {
    max(1 - Self.overestimation * power[bin] / (max(0.5 * present, smoothed[bin]) + 1e-9), floor)
  }

  mutating func update(_ spectrum: borrowing Spectrum, isEchoing: Bool) {
    let rise = isEchoing ? Self.echoingRise : blocks < Self.firstBlocks ? Self.firstRise : Self.rise
    if !isEchoing { blocks = min(blocks + 1, Self.firstBlocks) }
    for lane in 0..<Audio.lanes {
      let now = Self.smoothing * smoothed[lanes: lane] + (1 - Self.smoothing) * spectrum.power(lane)
      smoothed[lanes: lane] = now
      let low = minimum[lanes: lane]
      let rising = pointwiseMin(low * rise, now)
      let falling = low + Self.fall * (now - low)
      let next = pointwiseMax(rising.replacing(with: falling, where: now .< low), Lanes(repeating: Self.least))
      minimum[lanes: lane] = next
      power[lanes: lane] = Self.bias * next
    }
    Bands.sum(power, into: bands)
  }

  mutating func reset() {
    blocks = 0
    smoothed.fill()
    minimum.fill(Self.least)
    power.fill(Self.least)
  }
}
