import MediaCore

/// Limits the rate of a button's requests, however often it is pressed.
struct PressGuard: Hashable, Sendable {
  enum Verdict: Hashable { case counts, begins, ignored }

  private var accepted: [MonotonicInstant] = []
  private var isShut = false
  private var last: MonotonicInstant?

  mutating func take(at now: MonotonicInstant, maximum: Int, window: TimeSpan) -> Verdict {
    defer { last = now }
    if isShut {
      guard let last, now - last >= window else { return .ignored }
      isShut = false
      accepted = []
    }
    accepted.removeAll { now - $0 >= window }
    guard accepted.count < maximum else {
      isShut = true
      return .begins
    }
    accepted.append(now)
    return .counts
  }
}
