import MediaCore

/// Estimates when frames arrived that a stream takes out of its inbox in one pass: by their own times, and by how far
/// the last frames of the pass before lay behind the clock.
struct ArrivalClock {
  private var lastPass: MonotonicInstant?
  private var pass: MonotonicInstant?
  /// How far the frame lay behind the clock that was closest to it, in the pass before and in this one.
  private var lastDelay: TimeSpan?
  private var delay: TimeSpan?

  mutating func beginPass(now: MonotonicInstant) {
    (lastPass, pass) = (pass, now)
    (lastDelay, delay) = (delay ?? lastDelay, nil)
  }

  /// When a frame came that is taken now; not before the last pass, which would have taken it.
  mutating func arrival(of timestamp: MonotonicInstant, now: MonotonicInstant) -> MonotonicInstant {
    let own = now - timestamp
    delay = min(delay ?? own, own)
    guard let lastPass, let lastDelay else { return now }
    return max(lastPass, min(now, timestamp + lastDelay))
  }
}
