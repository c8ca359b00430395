/// How loud samples are, as packets carry it (RFC 6464).
public enum SoundLevel {
  /// The value that stands for silence.
  public static let silence: UInt8 = 127

  /// The root mean square of the samples in decibels below full scale, rounded: 0 to 127.
  public static func attenuation(of samples: Span<Int16>) -> UInt8 {
    guard samples.count > 0 else { return silence }
    var sum = 0.0
    var index = 0
    while index < samples.count {
      let sample = Double(samples[index])
      sum += sample * sample
      index += 1
    }
    let power = sum / Double(samples.count) / (32_768 * 32_768)
    guard power > 1e-13 else { return silence }
    // Ten times the decimal logarithm of 2.
    return UInt8(min(max(-3.010_299_957 * binaryLogarithm(power), 0), 127).rounded())
  }

  /// To a thousandth: a polynomial for the significand, since the standard library has no logarithm.
  private static func binaryLogarithm(_ value: Double) -> Double {
    let m = value.significand
    let fraction = -2.153_620_7 + (3.047_884_2 + (-1.051_875_0 + 0.158_248_7 * m) * m) * m
    return Double(value.exponent) + fraction
  }
}
