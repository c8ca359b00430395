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

  /// The pause before the next attempt, with full jitter, so that a fleet does not come back at once: anything up to
  /// ``next()``.
  ///
  /// - Parameter random: uniformly distributed in 0 ..< 1.
  public mutating func next(random: Double) -> TimeSpan {
    TimeSpan(nanoseconds: Int64(saturating: Double(next().nanoseconds) * random))
  }

  /// The same where the server may have said how long to wait (Retry-After, RFC 9110 section 10.2.3), which counts then:
  /// from one second to ``longestRequestedPause``, and up to a second more, since a server sends whole seconds.
  public mutating func next(random: Double, requested: TimeSpan?) -> TimeSpan {
    guard let requested else { return next(random: random) }
    let second = Double(TimeSpan.seconds(1).nanoseconds)
    return max(.seconds(1), min(requested, Self.longestRequestedPause))
      + TimeSpan(nanoseconds: Int64(saturating: second * random))
  }

  /// No server can have a client wait longer at a time.
  public static let longestRequestedPause = TimeSpan.seconds(120)

  /// An attempt has had lasting success.
  public mutating func reset() { upcoming = initial }
}
