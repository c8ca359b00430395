import CongestionControl
import MediaCore
import Testing

@Suite struct PacingBudgetTests {
  private func instant(_ microseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 1_000_000_000) + .microseconds(microseconds)
  }

  @Test func packetsLeaveAtTheRateAfterAShortBurst() {
    var budget = PacingBudget(rate: .kilobits(2_000))
    var now = instant(0)
    var sent: [(at: MonotonicInstant, count: Int)] = []
    var wakes = 0
    for _ in 0..<50 {
      budget.update(rate: .kilobits(2_000), now: now)
      while !budget.isOpen {
        wakes += 1
        now = budget.reopening
        budget.update(rate: .kilobits(2_000), now: now)
      }
      budget.spend(1_200)
      sent.append((now, 1_200))
    }
    // 60,000 octets, of which the burst leaves at once, at 250,000 a second.
    let span = (sent.last!.at - sent[0].at).seconds
    #expect((0.2...0.235).contains(span))
    #expect(sent.prefix { $0.at == sent[0].at }.count == 4)
    // Woken for more than one packet at a time.
    #expect(wakes <= 46)
  }

  /// Also by somebody who wakes a little late, and at rates at which a packet takes a fraction of a millisecond.
  @Test(arguments: [400, 5_000, 20_000], [1_150, 275])
  func packetsLeaveEvenlyAtTheWholeRate(kilobits: Int, byteCount: Int) {
    let rate = Bitrate.kilobits(kilobits)
    var budget = PacingBudget(rate: rate)
    var now = instant(0)
    budget.update(rate: rate, isEven: true, now: now)
    budget.drain()
    var octets = 0
    while now < instant(2_000_000) {
      budget.update(rate: rate, isEven: true, now: now)
      while budget.isOpen {
        budget.spend(byteCount)
        octets += byteCount
      }
      now = budget.reopening + .microseconds(300)
    }
    let expected = kilobits * 1_000 / 8 * 2
    #expect((expected * 97 / 100...expected * 103 / 100).contains(octets))
  }

  @Test func soundCountsButDebtIsBounded() {
    var budget = PacingBudget(rate: .kilobits(400))
    budget.update(rate: .kilobits(400), now: instant(0))
    for _ in 0..<1_000 { budget.spend(1_000) }
    #expect(!budget.isOpen)
    #expect(budget.reopening <= instant(300_000))
  }

  @Test func aClockThatStandsStillOpensNothing() {
    var budget = PacingBudget(rate: .kilobits(400))
    for _ in 0..<5 {
      budget.update(rate: .kilobits(400), now: instant(0))
      budget.spend(2_000)
    }
    #expect(!budget.isOpen)
    #expect(budget.reopening > instant(0))
  }
}
