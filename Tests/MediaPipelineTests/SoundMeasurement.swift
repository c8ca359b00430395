import Foundation

/// How far, in decibels, the best sine of this frequency stands above everything else; at 48 kHz.
func purity(_ samples: ArraySlice<Int16>, frequency: Double) -> Double {
  var (inPhase, quadrature, ss, cc, sc) = (0.0, 0.0, 0.0, 0.0, 0.0)
  let step = 2 * Double.pi * frequency / 48_000
  for (index, sample) in samples.enumerated() {
    let (s, c) = (sin(step * Double(index)), cos(step * Double(index)))
    inPhase += Double(sample) * s
    quadrature += Double(sample) * c
    ss += s * s
    cc += c * c
    sc += s * c
  }
  let determinant = ss * cc - sc * sc
  let (a, b) = ((inPhase * cc - quadrature * sc) / determinant, (quadrature * ss - inPhase * sc) / determinant)
  var (signal, rest) = (0.0, 0.0)
  for (index, sample) in samples.enumerated() {
    let expected = a * sin(step * Double(index)) + b * cos(step * Double(index))
    signal += expected * expected
    rest += (Double(sample) - expected) * (Double(sample) - expected)
  }
  return 10 * log10(signal / rest)
}

/// Repeatable random numbers (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
