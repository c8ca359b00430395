import EventDetection
import MediaCore
import Testing

@Suite struct HardwareDetectorTests {
  private let timing = EventTiming(minimumDuration: .seconds(4), post: .seconds(4), longest: .seconds(86_400))

  /// What comes of a look every two seconds.
  private func steps(
    _ detector: inout HardwareDetector, _ readings: [HardwareReading?], from start: Int64 = 0
  ) -> [HardwareDetector.Step] {
    readings.enumerated().flatMap { index, reading in
      detector.take(reading, at: MonotonicInstant(nanoseconds: 0) + .seconds(start + 2 * Int64(index)))
    }
  }

  private func held(_ reading: HardwareReading?, _ count: Int) -> [HardwareReading?] {
    [HardwareReading?](repeating: reading, count: count)
  }

  @Test func heatIsAnEventUntilItHasCooledDown() {
    var detector = HardwareDetector(.temperature(TemperatureLimit(threshold: 80, hysteresis: 3)), timing)
    #expect(steps(&detector, held(.value(79.9), 5)).isEmpty)
    let hot = steps(&detector, held(.value(81.6), 5), from: 10)
    guard case .began(let span)? = hot.first else { return #expect(Bool(false)) }
    #expect(span.peak.score == 8)
    #expect(detector.detail == "82 °C")
    guard case .peaked(let hottest)? = steps(&detector, [.value(95)], from: 20).last else {
      return #expect(Bool(false))
    }
    #expect(hottest.peak.score == 75)
    #expect(steps(&detector, held(.value(78), 20), from: 22).isEmpty)
    guard case .ended? = steps(&detector, held(.value(76), 4), from: 62).last else { return #expect(Bool(false)) }
  }

  @Test func aBatteryIsLowUntilItIsCharged() {
    var detector = HardwareDetector(.batteryLow(BatteryLimit(threshold: 15)), timing)
    #expect(steps(&detector, held(.value(16), 5)).isEmpty)
    guard case .began(let span)? = steps(&detector, held(.value(15), 5), from: 10).first else {
      return #expect(Bool(false))
    }
    #expect(span.peak.score == 1)
    #expect(detector.detail == "battery-low")
    guard case .peaked(let empty)? = steps(&detector, [.value(0)], from: 20).last else { return #expect(Bool(false)) }
    #expect(empty.peak.score == 100)
    #expect(steps(&detector, held(.value(20), 9), from: 22).isEmpty)
    guard case .ended? = steps(&detector, held(.value(21), 4), from: 40).last else { return #expect(Bool(false)) }
  }

  @Test func mainsComeAndGo() {
    var detector = HardwareDetector(.mainsLost(supply: nil), timing)
    #expect(steps(&detector, held(.state(false), 3) + [.state(true)] + held(.state(false), 3)).isEmpty)
    #expect(steps(&detector, held(.state(true), 10), from: 14).count == 1)
    #expect(detector.detail == "mains-lost")
    guard case .ended? = steps(&detector, held(.state(false), 4), from: 34).last else { return #expect(Bool(false)) }
  }

  @Test func aSensorThatIsGoneEndsAnEventAfterAMinute() {
    var detector = HardwareDetector(.underVoltage, timing)
    #expect(steps(&detector, held(.state(true), 5)).count == 1)
    #expect(steps(&detector, held(nil, 20) + [.state(true)], from: 10).isEmpty)
    let gone = steps(&detector, held(nil, 60), from: 52)
    guard case .ended? = gone.first else { return #expect(Bool(false)) }
    #expect(gone.count == 1)
  }

  @Test func readingsOfAnotherKindAreNone() {
    var detector = HardwareDetector(.temperature(TemperatureLimit(threshold: 0, hysteresis: 0)), timing)
    #expect(steps(&detector, held(.state(true), 9)).isEmpty)
  }
}
