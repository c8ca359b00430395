/// Counts per key: bursts of up to a minute's worth, then evenly spaced (the generic cell rate algorithm).
///
/// Memory is bounded: keys whose burst is whole again are dropped by ``trim(now:)``, since a new one would be the same.
public struct RateLimiter: Sendable {
  private static let window: Duration = .seconds(60)
  private let interval: Duration
  /// When each key will have its whole burst again.
  private var wholeAt: [String: Instant] = [:]

  public init(perMinute: Int) {
    interval = Self.window / perMinute
  }

  /// Counts one for `key`; nil when that is within the limit, else the whole seconds to wait.
  public mutating func take(_ key: String, now: Instant) -> Int? {
    let next = max(wholeAt[key] ?? now, now) + interval
    let excess = now.duration(to: next) - Self.window
    guard excess <= .zero else {
      return Int(excess.components.seconds) + (excess.components.attoseconds > 0 ? 1 : 0)
    }
    wholeAt[key] = next
    return nil
  }

  /// Takes back what one ``take(_:now:)`` counted.
  public mutating func giveBack(_ key: String, now: Instant) {
    guard let whole = wholeAt[key] else { return }
    wholeAt[key] = whole - interval > now ? whole - interval : nil
  }

  public mutating func trim(now: Instant) {
    wholeAt = wholeAt.filter { $0.value > now }
  }

  var keyCount: Int { wholeAt.count }
}
