import MediaCore
import Signalling
import Testing

@testable import DeviceService

@Suite("Reports to the hub")
struct HealthReportTests {
  private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

  private func report(_ problems: [String] = [], uptime: Int64 = 1) -> DeviceReport {
    var report = DeviceReport(version: "1", uptime: uptime, cameras: 1, isClockSynchronized: true)
    report.problems = problems
    return report
  }

  @Test("what begins or ceases to work is reported at once, all else four times an hour")
  func steps() {
    var reports = HealthReports()
    func step(_ report: DeviceReport, _ seconds: Int64) -> HealthReports.Step {
      reports.step(report, now: Self.start + .seconds(seconds))
    }
    #expect(step(report(), 0) == .alarm)
    #expect(step(report(uptime: 15), 15) == .none)
    #expect(step(report(["camera"]), 30) == .alarm)
    #expect(step(report(["camera"]), 45) == .none)
    #expect(step(report(), 60) == .alarm)
    #expect(step(report(), 60 + 899) == .none)
    #expect(step(report(), 60 + 900) == .refresh)
    #expect(step(report(), 60 + 915) == .none)
  }
}
