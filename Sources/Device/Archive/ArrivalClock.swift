import MediaCore

/// Tells when frames came that a stream takes out of its inbox a turn at a time: by their own times, and by how far the
/// last frames of the turn before lay behind the clock.
struct ArrivalClock {
  private var lastTurn: MonotonicInstant?
  private var turn: MonotonicInstant?
  /// How far the frame lay behind the clock that was closest to it, in the turn before and in this one.
  private var lastDelay: TimeSpan?
  private var delay: TimeSpan?

  mutating func beginTurn(now: MonotonicInstant) {
    (lastTurn, turn) = (turn, now)
    (lastDelay, delay) = (delay ?? lastDelay, nil)
  }

  /// When a frame came that is taken now; not before the last turn, which would have taken it.
  mutating func arrival(of timestamp: MonotonicInstant, now: MonotonicInstant) -> MonotonicInstant {
    let own = now - timestamp
    delay = min(delay ?? own, own)
    guard let lastTurn, let lastDelay else { return now }
    return max(lastTurn, min(now, timestamp + lastDelay))
  }
}
