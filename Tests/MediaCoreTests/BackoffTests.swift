import MediaCore
import Testing

@Suite struct BackoffTests {
  @Test func `pauses double up to their ceiling and begin anew`() {
    var backoff = Backoff(initial: .seconds(1), maximum: .seconds(30))
    #expect((0..<7).map { _ in backoff.next().seconds } == [1, 2, 4, 8, 16, 30, 30])
    backoff.reset()
    #expect(backoff.next() == .seconds(1))
  }

  @Test func `full jitter makes a pause anything up to its length`() {
    var backoff = Backoff(initial: .seconds(1), maximum: .seconds(4))
    #expect(backoff.next(random: 0) == .zero)
    #expect(backoff.next(random: 0.5) == .seconds(1))
    #expect(backoff.next(random: 1) == .seconds(4))
    #expect(backoff.next(random: 1) == .seconds(4))
    backoff.reset()
    #expect(backoff.next(random: 1) == .seconds(1))
  }

  @Test(
    "A server is heard, within bounds (RFC 9110 section 10.2.3)",
    arguments: [(0, 1_500), (7, 7_500), (31_536_000, 120_500)])
  func requestedPauses(seconds: Int64, milliseconds: Int64) {
    var backoff = Backoff(initial: .seconds(1), maximum: .seconds(4))
    #expect(backoff.next(random: 0.5, requested: .seconds(seconds)) == .milliseconds(milliseconds))
    #expect(backoff.next(random: 1, requested: nil) == .seconds(1))
  }
}
