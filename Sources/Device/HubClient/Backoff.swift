/// Growing pauses between attempts: doubling up to a ceiling, with jitter, so that a fleet does not come back at once.
struct Backoff: Sendable {
  private let initial: Duration
  private let maximum: Duration
  private var current: Duration

  init(initial: Duration, maximum: Duration) {
    self.initial = initial
    self.maximum = maximum
    self.current = initial
  }

  /// The pause before the next attempt: between half and the whole of the current span.
  ///
  /// - Parameter random: uniformly distributed in 0 ..< 1.
  mutating func next(random: Double) -> Duration {
    let span = current
    current = min(current * 2, maximum)
    return span * (0.5 + 0.5 * random)
  }

  /// To be called after a success that lasted.
  mutating func reset() { current = initial }
}
