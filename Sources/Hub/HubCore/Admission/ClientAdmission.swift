/// How many clients one node lets in a second.
public struct AdmissionRates: Sendable, Equatable {
  /// Logins of devices.
  public var logins = 500
  /// Event streams of devices and people.
  public var streams = 500

  public init() {}
}

/// What a client comes for.
public enum Arrival: String, Sendable, CaseIterable {
  case login
  case stream
}

/// Which of the clients that come to one node may do so now.
///
/// Asked only after the check of token or key, so that anonymous clients use up no places; and no user has more than
/// its share.
public struct ClientAdmission: Sendable {
  private var controls: [Arrival: AdmissionControl]
  private var users: RateLimiter
  public private(set) var refusals: [Arrival: Int] = [:]

  public init(rates: AdmissionRates, limits: HubLimits) {
    controls = [.login: AdmissionControl(rate: rates.logins), .stream: AdmissionControl(rate: rates.streams)]
    users = RateLimiter(perMinute: limits.arrivalsPerMinute)
  }

  /// - Parameter random: uniformly distributed in 0 ..< 1.
  public mutating func admit(
    _ arrival: Arrival, of userID: String, now: Instant, random: Double
  ) throws(HubRefusal) {
    if let wait = users.take("\(arrival.rawValue) \(userID)", now: now) {
      throw .tooMany("logins or event streams of one user", retryAfter: wait)
    }
    guard let wait = controls[arrival]?.take(now: now, random: random) else { return }
    users.giveBack("\(arrival.rawValue) \(userID)", now: now)
    refusals[arrival, default: 0] += 1
    throw .overloaded("too many clients at once; retry later", retryAfter: wait)
  }

  public mutating func trim(now: Instant) { users.trim(now: now) }
}
