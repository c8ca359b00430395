/// Estimates the power of the echo that the adaptive filter leaves: what the loudspeaker distorts, late reverberation, and all
/// above 8 kHz.
///
/// How much is left of the expected echo is learned by band while the far end speaks alone. Loudspeakers distort loud sound
/// more, so more is taken to be left of it than the mean.
struct ResidualEcho: ~Copyable {
  /// The smoothed power by bin of what the filter left, near speech included.
  let present = FloatBuffer(count: Audio.bins)
  /// Sums by band of ``present``.
  let presentBands = FloatBuffer(count: Bands.count)

  /// The smoothed power by bin of the expected echo; above 8 kHz of the reference.
  private let expected = FloatBuffer(count: Audio.bins)
  private let expectedBands = FloatBuffer(count: Bands.count)
  private let tail = FloatBuffer(count: Audio.bins)
  /// The share of the expected power that is left, by band.
  private let leakage = FloatBuffer(count: Bands.count, repeating: 1)
  /// The long-term mean of the expected power, and by how much more is left now than of that.
  private var loudness: Float = 0
  private var distortion: Float = 1

  private static let smoothing: Float = 0.4
  /// How much of a frame's power reverberates 10 ms later.
  private static let reverberation: Float = 0.6
  private static let leastPower: Float = 1e-9
  /// Expected power of a band below which nothing is learned.
  private static let audible: Float = 1e-5
  private static let rise: Float = 0.02
  private static let fall: Float = 0.006

  /// Takes the windowed spectra of the residual and the expected echo, and the unwindowed spectrum of the reference.
  mutating func update(error: borrowing Spectrum, echo: borrowing Spectrum, played: borrowing Spectrum) {
    for lane in 0..<Audio.lanes {
      present[lanes: lane] = Self.smoothing * present[lanes: lane] + (1 - Self.smoothing) * error.power(lane)
    }
    for lane in 0..<Audio.lowLanes - 1 { expect(echo.power(lane), lane) }
    for lane in Audio.lowLanes - 1..<Audio.lanes { expect(Self.windowedPower(played, lane), lane) }
    Bands.sum(present, into: presentBands)
    Bands.sum(expected, into: expectedBands)
    followLoudness()
  }

  @inline(__always) private func expect(_ power: Lanes, _ lane: Int) {
    let reverberant = pointwiseMax(power, Self.reverberation * tail[lanes: lane])
    tail[lanes: lane] = reverberant
    expected[lanes: lane] = Self.smoothing * expected[lanes: lane] + (1 - Self.smoothing) * reverberant
  }

  /// The powers of a frame under a Hann window, from its spectrum without: a window is a convolution of bins.
  private static func windowedPower(_ frame: borrowing Spectrum, _ lane: Int) -> Lanes {
    let start = min(8 * lane, frame.count - 9)
    let real: Lanes =
      0.5 * frame.real[lanes: lane] - 0.25 * (frame.real.lanes(from: start - 1) + frame.real.lanes(from: start + 1))
    let imaginary: Lanes =
      0.5 * frame.imaginary[lanes: lane]
      - 0.25 * (frame.imaginary.lanes(from: start - 1) + frame.imaginary.lanes(from: start + 1))
    return real * real + imaginary * imaginary
  }

  private mutating func followLoudness() {
    var sum: Float = 0
    for band in Bands.speech { sum += expectedBands[band] }
    if sum > 0.03 * loudness { loudness += 0.01 * (sum - loudness) }
    let excess = (sum + Self.leastPower) / (loudness + Self.leastPower)
    distortion = min(max(excess, 1), 16)
  }

  /// The share of a band that is echo, without near-end speech.
  func power(_ band: Int) -> Float { leakage[band] * distortion * expectedBands[band] }

  /// The same by bin: half of it as expected, half spread over the band, since distortion does not keep to bins.
  func power(_ band: Int, mean: Float, _ bin: Int) -> Float {
    0.5 * leakage[band] * distortion * (expected[bin] + mean)
  }

  /// The expected power of a band's bins.
  func mean(_ band: Int) -> Float { expectedBands[band] / Float(Bands.range(band).count) }

  /// The maximum echo of a bin if the filter knows nothing.
  func maximum(_ bin: Int) -> Float { min(present[bin], 1e3 * expected[bin]) }

  /// Learns how much is left; only without near-end speech. Errs on the high side, so it rises faster than it falls.
  func learn(nearSpeech: Float) {
    let speed: Float = nearSpeech < 0.1 ? 1 : nearSpeech < 0.5 ? 0.1 : 0
    guard speed > 0 else { return }
    for band in 0..<Bands.count where expectedBands[band] > Self.audible {
      let ratio = presentBands[band] / (expectedBands[band] * distortion)
      let step = Numeric.log2((ratio + 1e-6) / leakage[band])
      let change = step > 0 ? Self.rise * min(step, 3) : Self.fall * max(step, -3)
      leakage[band] = min(max(leakage[band] * Numeric.exp2(speed * change), 1e-4), 1e4)
    }
  }

  mutating func reset() {
    present.fill()
    expected.fill()
    tail.fill()
    leakage.fill(1)
    (loudness, distortion) = (0, 1)
  }
}
