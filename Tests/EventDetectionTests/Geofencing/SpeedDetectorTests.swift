import EventDetection
import MediaCore
import Testing

@Suite struct SpeedDetectorTests {
  private func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0) + .seconds(seconds) }

  /// Faster than 90 km/h for three seconds, over five seconds below 81.
  private func detector() -> SpeedDetector {
    SpeedDetector(
      SpeedLimit(threshold: 25, hysteresis: 2.5, unit: .kilometresPerHour),
      EventTiming(minimumDuration: .seconds(3), post: .seconds(5), longest: .seconds(86_400)))
  }

  /// What comes of a speed each second, in metres per second.
  private func steps(
    _ detector: inout SpeedDetector, _ speeds: [Double?], error: Double? = nil, from start: Int64 = 0
  ) -> [SpeedDetector.Step] {
    speeds.enumerated().flatMap { index, speed in
      let fix = PositionFix(latitude: 52, longitude: 13, speed: speed, speedError: error)
      return detector.take(fix, at: at(start + Int64(index))) + detector.tick(now: at(start + Int64(index)))
    }
  }

  private func held(_ speed: Double?, _ seconds: Int) -> [Double?] { [Double?](repeating: speed, count: seconds) }

  @Test func aFastDriveIsOneEvent() throws {
    var speed = detector()
    #expect(steps(&speed, held(20, 10)).isEmpty)
    let begun = steps(&speed, held(26, 10), from: 10)
    guard case .began(let span)? = begun.first else { return #expect(Bool(false)) }
    #expect(span.start == at(10))
    #expect(span.peak.score == 4)
    #expect(speed.detail == "94 km/h")
    guard case .peaked(let fastest)? = steps(&speed, [37.5], from: 20).last else { return #expect(Bool(false)) }
    #expect(fastest.peak.score == 50)
    #expect(speed.detail == "135 km/h")
    #expect(steps(&speed, held(23, 30), from: 21).isEmpty, "between the two limits it goes on")
    let ended = steps(&speed, held(20, 10), from: 51)
    guard case .ended(let whole)? = ended.last else { return #expect(Bool(false)) }
    #expect(ended.count == 1)
    #expect(whole.end == at(51))
  }

  @Test func onePositionThatIsTooFastIsNone() {
    var speed = detector()
    #expect(steps(&speed, held(10, 5) + [200] + held(10, 20)).isEmpty)
    #expect(steps(&speed, [200] + held(nil, 9) + held(10, 5), from: 100).isEmpty)
  }

  @Test func speedsThatAreFarApartAreNoDrive() {
    var speed = detector()
    #expect(steps(&speed, [60], from: 0).isEmpty)
    #expect(steps(&speed, [60], from: 30).isEmpty)
    #expect(steps(&speed, [60], from: 34).count == 1)
  }

  @Test func whereTheSpeedMayBeWrongNothingIsSaid() {
    var speed = detector()
    #expect(steps(&speed, held(30, 60), error: 6).isEmpty)
    #expect(steps(&speed, held(30, 60), error: 4, from: 60).count == 1)
  }

  @Test func aTunnelInterruptsNothingAndSilenceEndsIt() {
    var speed = detector()
    #expect(steps(&speed, held(30, 10)).count == 1)
    #expect(steps(&speed, held(nil, 40) + held(30, 10), from: 10).isEmpty)
    let silent = (60...200).flatMap { speed.tick(now: at($0)) }
    guard case .ended(let span)? = silent.first else { return #expect(Bool(false)) }
    #expect(silent.count == 1)
    #expect(span.end == at(59), "it is as long as anybody knew")
  }

  @Test func whatIsNoNumberIsPassedOver() {
    var speed = detector()
    #expect(steps(&speed, held(.infinity, 10) + held(.nan, 10)).isEmpty)
    #expect(speed.detail == nil)
    #expect(steps(&speed, held(1e300, 10), from: 20).count == 1)
    #expect(speed.detail?.hasSuffix(" km/h") == true)
  }
}
