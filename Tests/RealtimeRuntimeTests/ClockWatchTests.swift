import MediaCore
import Testing

@testable import RealtimeRuntime

@Suite("The wall clock's trust")
struct ClockWatchTests {
  private func reading(_ seconds: Int64, isSynchronized: Bool) -> ClockReading {
    ClockReading(isSynchronized: isSynchronized, offset: .seconds(seconds))
  }

  @Test func aClockThatIsSetForwardAndSynchronisedIsOneChange() {
    var comparison = ClockComparison(reading(0, isSynchronized: false))
    let jump = TimeSpan.seconds(1_795_000_000)
    let change = comparison.update(reading(1_795_000_000, isSynchronized: true))
    #expect(change == ClockChange(isSynchronized: true, isTrustNew: true, jump: jump))
    #expect(comparison.update(reading(1_795_000_000, isSynchronized: true)) == nil)
  }

  @Test func settingTheClockByHandIsTold() {
    var comparison = ClockComparison(reading(100, isSynchronized: false))
    let change = comparison.update(reading(40, isSynchronized: false))
    #expect(change == ClockChange(isSynchronized: false, isTrustNew: false, jump: .seconds(-60)))
  }

  @Test func smallStepsAddUp() {
    var comparison = ClockComparison(ClockReading(isSynchronized: true, offset: .zero))
    #expect(comparison.update(ClockReading(isSynchronized: true, offset: .milliseconds(600))) == nil)
    let change = comparison.update(ClockReading(isSynchronized: true, offset: .milliseconds(1_200)))
    #expect(change?.jump == .milliseconds(1_200))
  }

  @Test func trustComesAndGoesWithoutAJump() {
    var comparison = ClockComparison(reading(0, isSynchronized: false))
    let come = comparison.update(reading(0, isSynchronized: true))
    #expect(come == ClockChange(isSynchronized: true, isTrustNew: true, jump: .zero))
    #expect(comparison.update(reading(0, isSynchronized: false))?.isSynchronized == false)
  }

  @Test func theRealClockCanBeReadAndWatched() async throws {
    #expect(ClockReading.now().isSynchronized == ClockTrust.isSynchronized)
    let changes = try ClockWatch.changes()
    let reader = Task { for await _ in changes {} }
    reader.cancel()
    await reader.value
  }
}
