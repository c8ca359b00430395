/// The power of one frequency in blocks of samples (Goertzel's algorithm).
struct ToneMeter: Hashable, Sendable {
  private let coefficient: Float

  /// - Parameter cosine: of the angle that the frequency turns by from sample to sample.
  init(cosine: Float) { coefficient = 2 * cosine }

  /// The power of the frequency as a share of the block's, 0 to 1: 1 for a pure tone.
  func share(of samples: Span<Float>, power: Float) -> Float {
    var (last, before): (Float, Float) = (0, 0)
    for index in 0..<samples.count {
      let next = samples[index] + coefficient * last - before
      (before, last) = (last, next)
    }
    let energy = last * last + before * before - coefficient * last * before
    let count = Float(max(samples.count, 1))
    return power > 0 ? min(2 * energy / (count * count * power), 1) : 0
  }
}
