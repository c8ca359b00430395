/// Measures how well the expected echo fits the captured signal, regardless of near-end speech.
struct FilterFit: ~Copyable {
  /// The share of the expected echo that was captured: about 1 while the filter fits, about 0 when the path is another.
  private(set) var share: Float = 0

  private let power = FloatBuffer(count: Audio.lowBins)
  private var found: Float = 0
  private var expected: Float = 0

  /// Lanes of 400 Hz to 6.4 kHz.
  private static let band = 1..<16
  private static let powerSmoothing: Float = 0.8
  private static let smoothing: Float = 0.93
  private static let leastPower: Float = 1e-4
  /// Below this, too little echo is expected for a conclusion.
  private static let leastExpected: Float = 0.05

  /// Takes the windowed spectra of the residual and of the expected echo.
  mutating func measure(error: borrowing Spectrum, echo: borrowing Spectrum) {
    var sums = (found: Lanes.zero, expected: Lanes.zero)
    for lane in Self.band {
      let (er, ei) = (error.real[lanes: lane], error.imaginary[lanes: lane])
      let (yr, yi) = (echo.real[lanes: lane], echo.imaginary[lanes: lane])
      let echoed: Lanes = yr * yr + yi * yi
      let cross: Lanes = er * yr + ei * yi
      let captured: Lanes = er * er + ei * ei + 2 * cross + echoed
      power[lanes: lane] = Self.powerSmoothing * power[lanes: lane] + (1 - Self.powerSmoothing) * captured
      let weight: Lanes = 1 / (power[lanes: lane] + Self.leastPower)
      sums.found += weight * (cross + echoed)
      sums.expected += weight * echoed
    }
    found = Self.smoothing * found + (1 - Self.smoothing) * sums.found.sum()
    expected = Self.smoothing * expected + (1 - Self.smoothing) * sums.expected.sum()
    if expected > Self.leastExpected { share = found / expected }
  }

  mutating func reset() {
    power.fill()
    (share, found, expected) = (0, 0, 0)
  }
}
