/// Admits clients at a steady rate that come all at once, as after a restart.
///
/// A token bucket, as the generic cell rate algorithm: a second's worth at once, then evenly spaced. Refused clients
/// get the next free place behind earlier ones, so that they return at the rate at which they are admitted. Takes the
/// same memory however many come.
public struct AdmissionControl: Sendable {
  /// Clients accept no longer pauses, and a place is lost when its client does not come.
  static let longestWait: Duration = .seconds(120)
  private static let burst: Duration = .seconds(1)

  private let interval: Duration
  /// When the bucket will be full again.
  private var wholeAt: Instant?
  /// The last place that was given.
  private var lastPlace: Instant?

  /// - Parameter rate: a second, at least 1.
  public init(rate: Int) {
    interval = .seconds(1) / max(1, rate)
  }

  /// Lets one in; nil when that is possible now, else the whole seconds after which to come again.
  ///
  /// - Parameter random: uniformly distributed in 0 ..< 1; spreads those who come when all places are taken.
  public mutating func take(now: Instant, random: Double) -> Int? {
    let next = max(wholeAt ?? now, now) + interval
    if now.duration(to: next) <= Self.burst {
      wholeAt = next
      return nil
    }
    let place = max(lastPlace ?? now, now + .seconds(1)) + interval
    var wait = now.duration(to: place)
    if wait > Self.longestWait {
      wait = Self.longestWait * (0.5 + 0.5 * random)
    } else {
      lastPlace = place
    }
    return Int(wait.components.seconds)
  }
}
