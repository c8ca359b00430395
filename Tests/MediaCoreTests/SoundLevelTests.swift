import Foundation
import MediaCore
import Testing

@Suite struct SoundLevelTests {
  @Test(arguments: [(32_767, 3), (16_384, 9), (1_000, 33), (100, 53)])
  func rfc6464LevelsOfATone(amplitude: Double, expected: UInt8) {
    let samples = (0..<960).map { Int16(amplitude * sin(Double($0) * 0.3)) }
    let level = SoundLevel.attenuation(of: samples.span)
    #expect(abs(Int(level) - Int(expected)) <= 1)
  }

  @Test func silenceAndSquareWaves() {
    let silence = [Int16](repeating: 0, count: 960)
    #expect(SoundLevel.attenuation(of: silence.span) == 127)
    #expect(SoundLevel.attenuation(of: silence.span.extracting(0..<0)) == 127)
    let full = (0..<960).map { $0 % 2 == 0 ? Int16.max : .min }
    #expect(SoundLevel.attenuation(of: full.span) == 0)
    for exponent in 0..<15 {
      let square = (0..<960).map { $0 % 2 == 0 ? Int16(1 << exponent) : -Int16(1 << exponent) }
      let expected = 20 * log10(32_768 / Double(1 << exponent))
      #expect(abs(Double(SoundLevel.attenuation(of: square.span)) - expected) <= 0.6)
    }
  }
}
