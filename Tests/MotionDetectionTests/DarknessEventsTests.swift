import EventDetection
import MediaCore
import MotionDetection
import Testing

@Suite struct DarknessEventsTests {
  private var events = DarknessEvents(
    level: 20, EventTiming(minimumDuration: .seconds(2), post: .seconds(1), longest: .seconds(86_400)))
  private var now = MonotonicInstant(nanoseconds: 0)

  /// Shows a brightness for some seconds, ten frames a second; returns what has begun, got darker and ended.
  private mutating func show(_ brightness: Double?, seconds: Int) -> [String] {
    var names: [String] = []
    for _ in 0..<seconds * 10 {
      now = now + .milliseconds(100)
      for step in events.take(FrameFindings(brightness: brightness), at: now) {
        switch step {
        case .began(let span): names.append("began \(span.peak.score)")
        case .peaked(let span): names.append("peaked \(span.peak.score)")
        case .ended: names.append("ended")
        }
      }
    }
    return names
  }

  @Test mutating func itIsDarkForSomeTimeAndThenBright() {
    #expect(show(60, seconds: 5) == [])
    #expect(show(15, seconds: 1) + show(60, seconds: 5) == [])
    #expect(show(15, seconds: 5) == ["began 25"])
    #expect(events.detail == "15 %")
    #expect(show(0, seconds: 3) == ["peaked 100"])
    #expect(show(24, seconds: 5) == [], "brighter than the level by less than a quarter of it")
    #expect(show(26, seconds: 5) == ["ended"])
  }

  @Test mutating func withoutFramesItEndsAfterAMinute() {
    #expect(show(5, seconds: 5) == ["began 75"])
    #expect(show(nil, seconds: 58) == [])
    #expect(show(nil, seconds: 5) == ["ended"])
    #expect(events.finish() == [])
  }

  @Test(arguments: [([], 0), ([16], 0), ([0], 0), ([235], 100), ([255], 100), ([16, 235], 50)] as [([UInt8], Double)])
  func brightnessIsTheMeanFromBlackToWhite(luma: [UInt8], percent: Double) {
    #expect(Brightness.percent(of: luma.span) == percent)
  }
}
