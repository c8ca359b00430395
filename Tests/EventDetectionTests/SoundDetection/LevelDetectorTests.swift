import EventDetection
import Testing

@Suite struct LevelDetectorTests {
  private func feed(_ detector: inout LevelDetector, seconds: Double, _ level: Double) -> [Int?] {
    (0..<Int(seconds * Double(LevelDetector.blocksPerSecond))).map { _ in detector.take(level: level) }
  }

  @Test func aBangOverTheBackgroundIsTold() {
    var detector = LevelDetector(threshold: 20)
    #expect(feed(&detector, seconds: 10, -50).allSatisfy { $0 == nil })
    #expect(feed(&detector, seconds: 0.2, -31).allSatisfy { $0 == nil })
    #expect(feed(&detector, seconds: 0.2, -25) == [Int?](repeating: 62, count: 10))
    #expect(feed(&detector, seconds: 1, -50).allSatisfy { $0 == nil })
  }

  @Test func whatStaysBecomesTheBackground() {
    var detector = LevelDetector(threshold: 12)
    _ = feed(&detector, seconds: 10, -50)
    let machine = feed(&detector, seconds: 600, -30)
    #expect(machine.first! != nil)
    #expect(machine.last! == nil)
  }

  @Test func silenceIsNoMeasure() {
    var detector = LevelDetector(threshold: 20)
    _ = feed(&detector, seconds: 10, -120)
    #expect(feed(&detector, seconds: 1, -55).allSatisfy { $0 == nil })
  }

  @Test func nothingIsToldAtFirst() {
    var detector = LevelDetector(threshold: 20)
    #expect(feed(&detector, seconds: 0.5, -60).allSatisfy { $0 == nil })
    #expect(feed(&detector, seconds: 1, -10).allSatisfy { $0 == nil })
  }
}
