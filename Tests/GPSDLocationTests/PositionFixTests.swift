import MediaCore
import Testing

@testable import GPSDLocation

@Suite("What gpsd is believed")
struct PositionFixTests {
  private func report(_ change: (inout GPSReport) -> Void) -> GPSReport {
    var report = GPSReport(
      mode: 3, latitude: 52.5, longitude: 13.4, horizontalError: 7, errorX: .nan, errorY: .nan, time: 1_800_000_000)
    change(&report)
    return report
  }

  @Test func aGoodReport() {
    let fix = PositionFix(report { _ in })
    #expect(
      fix
        == PositionFix(
          latitude: 52.5, longitude: 13.4, horizontalError: 7, isThreeDimensional: true, time: 1_800_000_000))
  }

  @Test func lies() {
    #expect(PositionFix(report { $0.latitude = .nan }) == nil)
    #expect(PositionFix(report { $0.longitude = .infinity }) == nil)
    #expect(PositionFix(report { $0.latitude = 90.1 }) == nil)
    #expect(PositionFix(report { $0.longitude = -181 }) == nil)
  }

  @Test func aPositionRestsOnSomething() {
    let bare = report { ($0.horizontalError, $0.errorX, $0.errorY) = (.nan, 0, 0) }
    #expect(PositionFix(bare)?.horizontalError == nil && PositionFix(bare) != nil)
    var blind = bare
    blind.satellites = 0
    #expect(PositionFix(blind) == nil)
    #expect(PositionFix(report { $0.satellites = 0 }) != nil, "dead reckoning has an estimate")
  }

  @Test func aTimeIsTakenAsTheReceiverHasIt() {
    #expect(PositionFix(report { $0.time = 935_280_000 })?.time == 935_280_000, "22 August 1999")
  }

  @Test("Modes", arguments: [(0, false), (1, false), (2, true), (3, true)])
  func modes(mode: Int, isTaken: Bool) {
    #expect((PositionFix(report { $0.mode = mode }) != nil) == isTaken)
  }

  @Test func speedsThatCanBe() {
    let fix = PositionFix(report { ($0.speed, $0.speedError) = (25, 0.5) })
    #expect(fix?.speed == 25)
    #expect(fix?.speedError == 0.5)
    for speed in [Double.nan, .infinity, -1, 1e9] { #expect(PositionFix(report { $0.speed = speed })?.speed == nil) }
    #expect(PositionFix(report { $0.speedError = -1 })?.speedError == nil)
    #expect(PositionFix(report { $0.speedError = .infinity })?.speedError == nil)
  }

  @Test func aReportWithoutTimeIsTaken() {
    let fix = PositionFix(report { $0.time = 0 })
    #expect(fix != nil)
    #expect(fix?.time == nil)
  }

  @Test func theErrorIsTakenFromTheAxesIfNeedBe() {
    let fix = PositionFix(report { ($0.horizontalError, $0.errorX, $0.errorY) = (.nan, 3, 4) })
    #expect(fix?.horizontalError == 5)
    #expect(PositionFix(report { $0.horizontalError = .nan })?.horizontalError == nil)
    #expect(PositionFix(report { $0.horizontalError = -1 })?.horizontalError == nil)
  }
}
