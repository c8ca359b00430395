/// Computes gains by bin that remove residual echo and steady noise.
///
/// While the far end speaks alone, far more is removed than is estimated; during near-end speech, no more than that.
struct Suppressor: ~Copyable {
  private(set) var detector = NearSpeechDetector()
  /// Whether echo is audible.
  private(set) var isEchoing = false

  private var residual = ResidualEcho()
  private var noise = NoiseEstimator()
  private let gains = FloatBuffer(count: Audio.bins, repeating: 1)
  private let wanted = FloatBuffer(count: Audio.bins, repeating: 1)
  /// The least gain for steady noise.
  private let noiseFloor: Float
  private var comfort = ComfortNoise()

  /// Over-estimation of echo and least gain, with and without near-end speech.
  private static let near: (over: Float, least: Float) = (1, 0.15)
  private static let far: (over: Float, least: Float) = (100, 0.01)
  /// How far the signal must exceed echo and noise to count as speech.
  private static let margin: Float = 2
  private static let noiseMargin: Float = 2
  /// Bands in which echo must exceed noise to be audible.
  private static let echoingBands = 2
  private static let rise: Float = 0.5

  init(noiseReduction decibels: Float) { noiseFloor = Numeric.amplitude(-max(decibels, 0)) }

  /// Suppresses residual echo in place in `error`, the windowed spectrum of the filter's output.
  mutating func process(_ error: borrowing Spectrum, echo: borrowing Spectrum, played: borrowing Spectrum, trust: Float)
  {
    residual.update(error: error, echo: echo, played: played)
    noise.update(error, isEchoing: isEchoing)
    detect(trust)
    if isEchoing { residual.learn(nearSpeech: detector.probability) }
    makeGains(trust)
    apply(to: error)
  }

  private mutating func detect(_ trust: Float) {
    var excess: Float = 0
    var echoing = 0
    for band in Bands.speech {
      let echo = residual.power(band)
      let explained = Self.margin * echo + Self.noiseMargin * noise.bands[band]
      excess += min(max(Numeric.log2(residual.presentBands[band] / explained), -1), 3)
      if echo > noise.bands[band] { echoing += 1 }
    }
    isEchoing = echoing > Self.echoingBands
    detector.update(excess: excess / Float(Bands.speech.count), trust: trust, isEchoing: isEchoing)
  }

  private func makeGains(_ trust: Float) {
    let alone = 1 - detector.probability
    let over = Self.near.over * Numeric.exp2(alone * Numeric.log2(Self.far.over / Self.near.over))
    let least = Self.near.least * Numeric.exp2(alone * Numeric.log2(Self.far.least / Self.near.least))
    for band in 0..<Bands.count {
      let mean = residual.mean(band)
      for bin in Bands.range(band) {
        let echo = residual.power(band, mean: mean, bin) + (1 - trust) * residual.maximum(bin)
        let present = residual.present[bin] + 1e-9
        let steady = noise.gain(bin, present: present, floor: noiseFloor)
        wanted[bin] = max(1 - over * echo / present, least) * steady
      }
    }
    smooth()
  }

  /// Over neighbouring bins, so that single ones do not ring; and slower upward, so that nothing crackles.
  private func smooth() {
    for bin in 0..<Audio.bins {
      let neighbours = wanted[max(bin - 1, 0)] + wanted[min(bin + 1, Audio.bins - 1)]
      let target = 0.5 * wanted[bin] + 0.25 * neighbours
      gains[bin] = target > gains[bin] ? gains[bin] + Self.rise * (target - gains[bin]) : target
    }
  }

  private mutating func apply(to spectrum: borrowing Spectrum) {
    for lane in 0..<Audio.lanes {
      let gain = gains[lanes: lane]
      spectrum.real[lanes: lane] = spectrum.real[lanes: lane] * gain
      spectrum.imaginary[lanes: lane] = spectrum.imaginary[lanes: lane] * gain
    }
    comfort.add(to: spectrum, noise: noise.power, floor: noiseFloor, gains: gains)
  }

  mutating func reset() {
    detector = NearSpeechDetector()
    isEchoing = false
    residual.reset()
    noise.reset()
    gains.fill(1)
  }

  /// For tests and benchmarks.
  func copyGains(into output: inout MutableSpan<Float>) {
    for bin in 0..<min(output.count, Audio.bins) { output[bin] = gains[bin] }
  }
}
