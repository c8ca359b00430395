/// Counts failed attempts by a key, such as an address, and refuses more of one than may be in a minute.
///
/// An attempt counts as failed from ``take(_:now:)`` on until ``forgive(_:now:)`` takes that back: many at once get no
/// further than many in a row. What is over is forgotten every five seconds.
public struct FailureLimiter: Sendable {
  static let trimInterval = Duration.seconds(5)

  private var limiter: RateLimiter
  /// What a refusal says that there are too many of.
  private let subject: String
  private var trimmedAt: Instant?

  public init(perMinute count: Int, of subject: String) {
    limiter = RateLimiter(perMinute: count)
    self.subject = subject
  }

  public mutating func take(_ key: String, now: Instant) throws(HubRefusal) {
    if trimmedAt.map({ $0.duration(to: now) >= Self.trimInterval }) ?? true {
      trimmedAt = now
      limiter.trim(now: now)
    }
    if let wait = limiter.take(key, now: now) { throw .tooMany(subject, retryAfter: wait) }
  }

  /// The attempt was right, or has not been made after all.
  public mutating func forgive(_ key: String, now: Instant) { limiter.giveBack(key, now: now) }

  var keyCount: Int { limiter.keyCount }
}
