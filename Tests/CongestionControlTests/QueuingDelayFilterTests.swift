import MediaCore
import Testing

@testable import CongestionControl

@Suite struct QueuingDelayFilterTests {
  /// A packet of 1,000 octets each 10 ms, which takes `transit` milliseconds, a function of the time in milliseconds.
  private func feed(_ gauge: inout QueuingDelayFilter, _ times: Range<Int64>, _ transit: (Int64) -> Int64) {
    var last: Int64 = 0
    for time in times where time % 10 == 0 {
      last = max(last, time + transit(time))
      gauge.add(
        sent: .milliseconds(time), arrived: .milliseconds(last), byteCount: 1_000, drainingAt: 800_000)
    }
  }

  @Test func aQueueThatGrowsAndStaysIsSeen() {
    var gauge = QueuingDelayFilter()
    feed(&gauge, 0..<2_000) { _ in 40 }
    #expect(gauge.delay == .zero && !gauge.isGrowing)
    feed(&gauge, 2_000..<3_000) { 40 + ($0 - 2_000) / 4 }
    #expect(gauge.isGrowing && gauge.isLong)
    feed(&gauge, 3_000..<6_000) { _ in 290 }
    #expect(gauge.delay == .milliseconds(250) && !gauge.isGrowing)
  }

  @Test func aLeapIsALongerPath() {
    var gauge = QueuingDelayFilter()
    feed(&gauge, 0..<2_000) { _ in 40 }
    feed(&gauge, 2_000..<3_000) { _ in 240 }
    #expect(gauge.delay == .zero && !gauge.isGrowing && !gauge.isLong)
    feed(&gauge, 3_000..<5_000) { _ in 240 }
    #expect(gauge.delay == .zero)
    // From there on a queue is one again.
    feed(&gauge, 5_000..<6_000) { 240 + ($0 - 5_000) / 4 }
    #expect(gauge.isGrowing)
  }

  @Test func aLeapThatGoesOnGrowingIsAQueue() {
    var gauge = QueuingDelayFilter()
    feed(&gauge, 0..<2_000) { _ in 40 }
    feed(&gauge, 2_000..<3_500) { 240 + ($0 - 2_000) / 2 }
    #expect(gauge.isGrowing && gauge.isLong)
    #expect(gauge.delay > .milliseconds(500))
  }

  @Test func whatArrivesAtOnceWasHeldUp() {
    var gauge = QueuingDelayFilter()
    feed(&gauge, 0..<5_000) { max(0, 100 - $0 % 1_000) }
    #expect(gauge.delay == .zero && !gauge.isGrowing)
    #expect((.milliseconds(80)...(.milliseconds(100))).contains(gauge.allowance))
    feed(&gauge, 5_000..<30_000) { _ in 0 }
    #expect(gauge.allowance < .milliseconds(40))
  }

  @Test func aQueueThatDrainsIsNoNoise() {
    var gauge = QueuingDelayFilter()
    feed(&gauge, 0..<1_000) { 20 + $0 / 5 }
    feed(&gauge, 1_000..<2_000) { 220 - ($0 - 1_000) / 5 }
    #expect(gauge.allowance == .zero)
  }

  @Test func aClockThatIsSetBeginsAnew() {
    var gauge = QueuingDelayFilter()
    feed(&gauge, 0..<2_000) { _ in 40 }
    gauge.add(sent: .seconds(2), arrived: .seconds(-900), byteCount: 100, drainingAt: 800_000)
    #expect(gauge.delay == .zero && gauge.allowance == .zero)
  }
}

@Suite struct RecoveryTests {
  private let start = MonotonicInstant(nanoseconds: 0)

  @Test func aDoubtfulDecreaseIsTakenBackQuickly() {
    var recovery = Recovery()
    recovery.noteAlarm(from: 1_000, now: start)
    var rate = 500.0
    for _ in 0..<20 { rate = recovery.raise(rate, over: 0.05) ?? rate }
    #expect(rate == 1_000)
    #expect(recovery.raise(rate, over: 0.05) == nil)
  }

  @Test func aSecondAlarmIsBelievedMoreAndACertainQueueAltogether() {
    var recovery = Recovery()
    recovery.noteAlarm(from: 1_000, now: start)
    recovery.noteAlarm(from: 1_000, now: start + .seconds(5))
    #expect(recovery.goal == 850)
    recovery.noteQueue(from: 850, steadyAt: 400, now: start + .seconds(6))
    #expect(recovery.goal == 400)
    // Unless it turns out that there was no queue at all.
    recovery.noteEmpty(isPathLonger: true)
    #expect(recovery.goal == 1_000)
  }
}
