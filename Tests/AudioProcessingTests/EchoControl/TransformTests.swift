import Foundation
import TestSupport
import Testing

@testable import AudioProcessing

@Suite struct TransformTests {
  @Test(arguments: [10, 16, 30, 60, 320, 960]) func agreesWithTheDefinition(count: Int) {
    let transform = RealTransform(count: count)
    let samples = FloatBuffer(count: count)
    var generator = SeededGenerator(seed: UInt64(count))
    for index in 0..<count { samples[index] = .random(in: -1...1, using: &generator) }
    let spectrum = Spectrum(count: count / 2 + 1)
    transform.forward(samples, into: spectrum, bins: count / 2 + 1)
    for bin in 0...count / 2 {
      var sum = (real: 0.0, imaginary: 0.0)
      for index in 0..<count {
        let angle = -2 * Double.pi * Double(bin * index % count) / Double(count)
        sum = (sum.real + Double(samples[index]) * cos(angle), sum.imaginary + Double(samples[index]) * sin(angle))
      }
      #expect(abs(Double(spectrum.real[bin]) - sum.real) < 1e-4)
      #expect(abs(Double(spectrum.imaginary[bin]) - sum.imaginary) < 1e-4)
    }
    let back = FloatBuffer(count: count)
    transform.inverse(spectrum, bins: count / 2 + 1, into: back)
    for index in 0..<count { #expect(abs(back[index] - samples[index]) < 1e-5) }
  }

  @Test func functionsAreExactEnough() {
    for step in -40...40 {
      let fraction = Double(step) / 16.7
      let (sine, cosine) = Numeric.turn(fraction)
      #expect(abs(sine - sin(2 * .pi * fraction)) < 1e-12)
      #expect(abs(cosine - cos(2 * .pi * fraction)) < 1e-12)
      let value = Float(pow(10, Double(step) / 8))
      #expect(abs(Numeric.log2(value) - Foundation.log2(value)) < 1e-4)
      #expect(abs(Numeric.exp2(Float(step) / 3) / Foundation.exp2(Float(step) / 3) - 1) < 1e-5)
    }
    #expect(Numeric.log2(0) == -126)
    #expect(Numeric.log2(-1) == -126)
  }
}
