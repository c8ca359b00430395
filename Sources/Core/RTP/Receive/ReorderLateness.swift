import MediaCore

/// Remembers how late the packets of a stream are that others overtake, and forgets it slowly.
struct ReorderLateness: Sendable {
  /// What machines and networks shift packets by that arrive in order.
  private static var least: TimeSpan { .milliseconds(25) }
  /// Half is forgotten after some fifteen seconds of 20 ms packets.
  private static var memory: Int64 { 1_024 }

  private var peak = TimeSpan.zero
  private var givenUp: (numbers: Range<Int64>, since: MonotonicInstant)?

  func wait(atMost limit: TimeSpan) -> TimeSpan { min(max(peak + peak / 4, Self.least), limit) }

  /// How long after the first one that overtook it a packet came; zero for one in order.
  mutating func note(_ lateness: TimeSpan) { peak = max(peak - peak / Self.memory, lateness) }

  /// Packets are no longer waited for that have been known to be missing `since`.
  mutating func noteGivenUp(_ numbers: Range<Int64>, since: MonotonicInstant) { givenUp = (numbers, since) }

  /// A packet came after its time; it may be one of those given up last.
  mutating func noteLate(_ number: Int64, now: MonotonicInstant) {
    if let givenUp, givenUp.numbers.contains(number) { note(now - givenUp.since) }
  }
}
