import Foundation
import EventDetection
import TestSupport
import Testing

@Suite struct SmokeAlarmTests {
  private static let rate = Double(SmokeAlarmDetector.sampleRate)

  /// When the alarm is told first, in seconds, and whether it is at the end.
  private func hear(_ samples: [Int16]) -> (first: Double?, isLast: Bool) {
    var detector = SmokeAlarmDetector()
    var (first, isLast): (Double?, Bool) = (nil, false)
    for start in stride(
      from: 0, through: samples.count - SmokeAlarmDetector.blockFrames, by: SmokeAlarmDetector.blockFrames)
    {
      isLast = detector.take(samples.span.extracting(start..<start + SmokeAlarmDetector.blockFrames))
      if isLast, first == nil { first = Double(start) / Self.rate }
    }
    return (first, isLast)
  }

  /// A tone that is on where `gate` says so, over noise.
  private func sound(
    _ seconds: Double, frequency: Double, level: Double = 0.2, noise: Double = 0.01, seed: UInt64 = 1,
    gate: (Double) -> Bool
  ) -> [Int16] {
    var random = SeededGenerator(seed: seed)
    return (0..<Int(seconds * Self.rate)).map { index in
      let time = Double(index) / Self.rate
      let tone = gate(time) ? level * sin(2 * .pi * frequency * time) : 0
      return Int16(32_767 * min(max(tone + noise * Double.random(in: -1...1, using: &random), -1), 1))
    }
  }

  private func isTemporalThree(_ time: Double) -> Bool {
    let phase = time.truncatingRemainder(dividingBy: 4)
    return phase < 3 && phase.truncatingRemainder(dividingBy: 1) < 0.5
  }

  @Test(arguments: [520, 2_900, 3_100, 3_137, 3_400.0]) func thePatternIsTold(frequency: Double) throws {
    let heard = hear(sound(20, frequency: frequency, gate: isTemporalThree))
    let first = try #require(heard.first)
    #expect(first < 9)
    #expect(heard.isLast)
  }

  @Test func itIsToldInNoiseAndWithAnEcho() {
    let alarm = sound(20, frequency: 3_100, level: 0.1, noise: 0.08, gate: isTemporalThree)
    #expect(hear(alarm).first != nil)
    let echoed = alarm.indices.map { index in
      Int16(clamping: Int(alarm[index]) + (index < 1_200 ? 0 : Int(alarm[index - 1_200]) / 3))
    }
    #expect(hear(echoed).first != nil)
  }

  @Test func itIsOverWhenThePatternEnds() {
    let heard = hear(sound(30, frequency: 3_100) { $0 < 14 && isTemporalThree($0) })
    #expect(heard.first != nil)
    #expect(!heard.isLast)
  }

  @Test func otherSignalsAreNoAlarm() {
    let steady = sound(20, frequency: 3_100) { _ in true }
    let reversing = sound(20, frequency: 3_100) { $0.truncatingRemainder(dividingBy: 1) < 0.5 }
    let four = sound(20, frequency: 3_100) { time in
      let phase = time.truncatingRemainder(dividingBy: 5)
      return phase < 0.8 && phase.truncatingRemainder(dividingBy: 0.2) < 0.1
    }
    let low = sound(20, frequency: 1_000, gate: isTemporalThree)
    let noise = sound(20, frequency: 3_100, noise: 0.5) { _ in false }
    for samples in [steady, reversing, four, low, noise] { #expect(hear(samples).first == nil) }
  }

  /// Voiced syllables with pauses, as fast as the pattern.
  @Test func syllablesAreNoAlarm() {
    var random = SeededGenerator(seed: 3)
    var samples: [Int16] = []
    while samples.count < Int(30 * Self.rate) {
      let (length, pitch) = (Double.random(in: 0.1...0.6, using: &random), Double.random(in: 90...260, using: &random))
      for index in 0..<Int(length * Self.rate) {
        let time = Double(index) / Self.rate
        let voice = (1...25).reduce(0.0) { $0 + sin(2 * .pi * pitch * Double($1) * time) / Double($1) }
        samples.append(Int16(4_000 * voice))
      }
      samples += [Int16](repeating: 0, count: Int(Double.random(in: 0.05...0.7, using: &random) * Self.rate))
    }
    #expect(hear(samples).first == nil)
  }
}
