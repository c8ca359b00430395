import Foundation

/// How far, in decibels, the best sine of this frequency (in hertz) is above everything else; at 48 kHz.
public func purity(_ samples: ArraySlice<Int16>, frequency: Double) -> Double {
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
