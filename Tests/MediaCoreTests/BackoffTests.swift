import MediaCore
import Testing

@Suite struct BackoffTests {
  @Test func `pauses double up to their ceiling and begin anew`() {
    var backoff = Backoff(initial: .seconds(1), maximum: .seconds(30))
    #expect((0..<7).map { _ in backoff.next().seconds } == [1, 2, 4, 8, 16, 30, 30])
    backoff.reset()
    #expect(backoff.next() == .seconds(1))
  }

  @Test func `jitter shortens a pause by half at most`() {
    var backoff = Backoff(initial: .seconds(1), maximum: .seconds(4))
    #expect(backoff.next(random: 0) == .milliseconds(500))
    #expect(backoff.next(random: 0.5) == .milliseconds(1_500))
    #expect(backoff.next(random: 1) == .seconds(4))
    #expect(backoff.next(random: 1) == .seconds(4))
    backoff.reset()
    #expect(backoff.next(random: 1) == .seconds(1))
  }
}
