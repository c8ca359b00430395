/// A client that tries a password.
public struct LoginAttempt: Sendable {
  /// Where it comes from, as ``LoginThrottle`` distinguishes places.
  public var address: String
  /// What titles are compared by.
  public var titleKey: String
  /// The name of a client that has logged in under this title before; nil for all others.
  public var knownClient: String?

  public init(address: String, titleKey: String, knownClient: String?) {
    self.address = address
    self.titleKey = titleKey
    self.knownClient = knownClient
  }
}

/// Slows down those who guess passwords, without locking out whose password is guessed.
///
/// Failures count, by address and by title. A client that has logged in under the title before is counted by itself
/// alone, so that neither anonymous who guess at the title nor neighbours behind the same address keep it out.
///
/// An attempt counts as failed from ``admit(_:now:)`` on until ``forgive(_:now:)`` takes that back: many at once get no
/// further than many in a row. Since an admitted attempt costs a password hash, the counts are bounded by what can be
/// hashed in a minute.
public struct LoginThrottle: Sendable {
  private var addresses: RateLimiter
  private var titles: RateLimiter
  private var clients: RateLimiter
  private let failureMemory: Duration
  /// Until when an address counts as one with wrong passwords.
  private var suspectUntil: [String: Instant] = [:]
  private var trimmedAt: Instant?

  public init(limits: HubLimits) {
    failureMemory = limits.loginFailureMemory
    addresses = RateLimiter(perMinute: limits.loginFailuresPerAddress)
    titles = RateLimiter(perMinute: limits.loginFailuresPerTitle)
    clients = RateLimiter(perMinute: limits.loginFailuresPerAddress)
  }

  public mutating func admit(_ attempt: LoginAttempt, now: Instant) throws(HubRefusal) {
    trim(now: now)
    if let client = attempt.knownClient { return try Self.take(client, from: &clients, now: now) }
    try Self.take(attempt.address, from: &addresses, now: now)
    do {
      try Self.take(attempt.titleKey, from: &titles, now: now)
    } catch {
      addresses.giveBack(attempt.address, now: now)
      throw error
    }
  }

  /// The attempt was right, or has not been made after all.
  public mutating func forgive(_ attempt: LoginAttempt, now: Instant) {
    if let client = attempt.knownClient { return clients.giveBack(client, now: now) }
    addresses.giveBack(attempt.address, now: now)
    titles.giveBack(attempt.titleKey, now: now)
  }

  /// The password was wrong.
  public mutating func noteFailure(of attempt: LoginAttempt, now: Instant) {
    if attempt.knownClient == nil { suspectUntil[attempt.address] = now + failureMemory }
  }

  public func standing(of attempt: LoginAttempt, now: Instant) -> PasswordStanding {
    guard attempt.knownClient == nil else { return .known }
    return suspectUntil[attempt.address].map { $0 > now } ?? false ? .suspect : .clean
  }

  var keyCount: Int { addresses.keyCount + titles.keyCount + clients.keyCount + suspectUntil.count }

  private static func take(_ key: String, from limiter: inout RateLimiter, now: Instant) throws(HubRefusal) {
    if let wait = limiter.take(key, now: now) { throw .tooMany("failed logins", retryAfter: wait) }
  }

  private mutating func trim(now: Instant) {
    if let trimmedAt, trimmedAt.duration(to: now) < .seconds(5) { return }
    trimmedAt = now
    addresses.trim(now: now)
    titles.trim(now: now)
    clients.trim(now: now)
    suspectUntil = suspectUntil.filter { $0.value > now }
  }
}
