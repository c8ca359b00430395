import AudioProcessing
import Foundation
import MediaCore
import TestSupport
import Testing

@Suite struct LevelTests {
  @Test(arguments: [Float(0.01)]) func bringsSpeechToItsLevelWithoutClipping(level: Float) {
    var settings = EchoControlSettings()
    settings.speechLevel = -23
    var controller = EchoController(settings)
    let speech = babble(seconds: 9, seed: 4, level: level)
    let output = controller.clean(speech, played: [Float](repeating: 0, count: speech.count))
    let end = output[336_000...]
    #expect(abs(decibels(power(end)) + 23) < 5, "\(decibels(power(end))) dB")
    #expect(end.allSatisfy { abs($0) < 0.99 })
  }

  @Test func reducesSteadyNoiseByAsMuchAsAskedFor() {
    var generator = SeededGenerator(seed: 8)
    let noise = (0..<192_000).map { _ in Float.random(in: -0.005...0.005, using: &generator) }
    for wanted in [Float(0), 12] {
      var settings = EchoControlSettings()
      settings.noiseReduction = wanted
      var controller = EchoController(settings)
      let output = controller.clean(noise, played: [Float](repeating: 0, count: noise.count))
      let reduction = decibels(power(noise[144_000...]) / power(output[144_000...]))
      #expect(abs(reduction - wanted) < 3, "\(reduction) dB")
    }
  }
}
