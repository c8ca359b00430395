import Foundation
import MediaCore
import TestSupport
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

  @Test func theOffsetLeadsFromTheTimeSinceBootToTheWallClock() throws {
    let uptime = try String(contentsOfFile: "/proc/uptime", encoding: .ascii)
    let sinceBoot = try #require(uptime.split(separator: " ").first.flatMap { Double($0) })
    #expect(abs(ClockReading.now().offset.seconds + sinceBoot - Date().timeIntervalSince1970) < 2)
  }

  @Test(.timeLimit(.minutes(1))) func theThreadEndsWithItsReader() async throws {
    func isWatched() -> Bool {
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
      return threads.contains { thread in
        (try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)) == "ls-clock\n"
      }
    }
    let changes = try ClockWatch.changes()
    try await eventually { isWatched() }
    let reader = Task { for await _ in changes {} }
    reader.cancel()
    await reader.value
    try await eventually { !isWatched() }
  }
}
