internal import MediaCore

/// The functions that the standard library lacks, to single precision. Arguments are finite.
enum Numeric {
  /// Sine and cosine of a fraction of a full turn.
  static func turn(_ fraction: Double) -> (sine: Double, cosine: Double) {
    let quarters = (fraction * 4).rounded()
    let (sine, cosine) = series((fraction - quarters / 4) * 2 * .pi)
    let quarter = quarters - (quarters / 4).rounded(.down) * 4
    return switch quarter {
    case 1: (cosine, -sine)
    case 2: (-sine, -cosine)
    case 3: (-cosine, sine)
    default: (sine, cosine)
    }
  }

  /// Taylor's series, for an eighth of a turn at most.
  private static func series(_ angle: Double) -> (sine: Double, cosine: Double) {
    let square = angle * angle
    var sine = 0.0
    var cosine = 0.0
    for index in stride(from: 8.0, through: 1, by: -1) {
      sine = (1 - sine) * square / (2 * index * (2 * index + 1))
      cosine = (1 - cosine) * square / (2 * index * (2 * index - 1))
    }
    return ((1 - sine) * angle, 1 - cosine)
  }

  /// To 0.0001; of 0 and less: -126.
  static func log2(_ value: Float) -> Float {
    guard value >= .leastNormalMagnitude else { return -126 }
    let ratio = (value.significand - 1.414_213_56) / (value.significand + 1.414_213_56)
    let square = ratio * ratio
    // The series of the area hyperbolic tangent.
    let sum: Float = 1 + square * (0.333_333_33 + square * (0.2 + square * 0.142_857_14))
    return Float(value.exponent) + 0.5 + 2.885_390_08 * ratio * sum
  }

  /// Between 2^-100 and 2^100.
  static func exp2(_ value: Float) -> Float {
    let kept = min(max(value, -100), 100)
    let whole = kept.rounded()
    let x = (kept - whole) * 0.693_147_18
    let sum: Float = 1 + x * (1 + x * (0.5 + x * (0.166_666_67 + x * (0.041_666_67 + x * 0.008_333_33))))
    return Float(sign: .plus, exponent: Int(saturating: Double(whole)), significand: sum)
  }

  /// Decibels of a ratio of powers.
  static func decibels(_ power: Float) -> Float { 3.010_299_96 * log2(power) }
  /// Decibels as a ratio of powers.
  static func power(_ decibels: Float) -> Float { exp2(decibels / 3.010_299_96) }
  /// Decibels as a ratio of amplitudes.
  static func amplitude(_ decibels: Float) -> Float { exp2(decibels / 6.020_599_91) }
}
