/// Exponential back-off: pauses between attempts that double up to a ceiling.
public struct Backoff: Hashable, Sendable {
  private let initial: TimeSpan
  private let maximum: TimeSpan
  private var upcoming: TimeSpan

  /// - Parameters:
  ///   - initial: the first pause.
  ///   - maximum: no pause is longer.
  public init(initial: TimeSpan, maximum: TimeSpan) {
    self.initial = initial
    self.maximum = maximum
    upcoming = initial
  }

  /// The pause before the next attempt; the one after will be longer.
  public mutating func next() -> TimeSpan {
    defer { upcoming = min(upcoming * 2, maximum) }
    return upcoming
  }

  /// The pause before the next attempt, with jitter, so that a fleet does not come back at once: between half and the
  /// whole of ``next()``.
  ///
  /// - Parameter random: uniformly distributed in 0 ..< 1.
  public mutating func next(random: Double) -> TimeSpan {
    TimeSpan(nanoseconds: Int64(saturating: Double(next().nanoseconds) * (0.5 + 0.5 * random)))
  }

  /// An attempt has had lasting success.
  public mutating func reset() { upcoming = initial }
}
