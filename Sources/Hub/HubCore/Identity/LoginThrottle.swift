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
/// Attempts count as ``FailureLimiter`` says. Since an admitted attempt costs a password hash, the counts are bounded by
/// what can be hashed in a minute.
public struct LoginThrottle: Sendable {
  private var addresses: FailureLimiter
  private var titles: FailureLimiter
  private var clients: FailureLimiter
  private let failureMemory: Duration
  /// Until when an address counts as one with wrong passwords.
  private var suspectUntil: [String: Instant] = [:]
  private var trimmedAt: Instant?

  private static let failures = "failed logins"

  public init(limits: HubLimits) {
    failureMemory = limits.loginFailureMemory
    addresses = FailureLimiter(perMinute: limits.loginFailuresPerAddress, of: Self.failures)
    titles = FailureLimiter(perMinute: limits.loginFailuresPerTitle, of: Self.failures)
    clients = FailureLimiter(perMinute: limits.loginFailuresPerAddress, of: Self.failures)
  }

  public mutating func admit(_ attempt: LoginAttempt, now: Instant) throws(HubRefusal) {
    trimSuspects(now: now)
    if let client = attempt.knownClient { return try clients.take(client, now: now) }
    try addresses.take(attempt.address, now: now)
    do {
      try titles.take(attempt.titleKey, now: now)
    } catch {
      addresses.forgive(attempt.address, now: now)
      throw error
    }
  }

  /// The attempt was right, or has not been made after all.
  public mutating func forgive(_ attempt: LoginAttempt, now: Instant) {
    if let client = attempt.knownClient { return clients.forgive(client, now: now) }
    addresses.forgive(attempt.address, now: now)
    titles.forgive(attempt.titleKey, now: now)
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

  private mutating func trimSuspects(now: Instant) {
    if let trimmedAt, trimmedAt.duration(to: now) < FailureLimiter.trimInterval { return }
    trimmedAt = now
    suspectUntil = suspectUntil.filter { $0.value > now }
  }
}
