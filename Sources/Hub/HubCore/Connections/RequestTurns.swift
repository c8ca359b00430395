/// Who makes a request, as far as turns are concerned.
public struct RequestClient: Hashable, Sendable {
  /// Clients with an account go first; all others share what the hub grants to anonymous clients.
  public var isAuthenticated: Bool
  /// What identifies clients: a token, an address, a connection.
  public var key: String

  public init(isAuthenticated: Bool, key: String) {
    self.isAuthenticated = isAuthenticated
    self.key = key
  }
}

/// The order in which requests begin to be answered when more come than the hub wants to answer.
///
/// Each client has a rate of its own, and all anonymous ones together have another, both with a burst of half a second. A
/// request that is large counts as several, as it costs several times as much (``cost(ofBytes:)``). What exceeds them waits and is not refused: clients with an account first, then clients in turn, each one's requests as
/// they came. Since a connection has one request here at most (``RequestBoundary``), connections bound what waits.
public struct RequestTurns<Ticket: Equatable & Sendable>: Sendable {
  private var rates: RequestRates
  private var authenticatedQueue = FairQueue<Waiting>(capacity: .max, perOrigin: .max)
  private var anonymousQueue = FairQueue<Waiting>(capacity: .max, perOrigin: .max)

  private struct Waiting: Sendable, Equatable {
    var ticket: Ticket
    var cost: Int

    static func == (one: Self, other: Self) -> Bool { one.ticket == other.ticket }
  }

  /// - Parameters:
  ///   - clientRate: Requests a second of one client.
  ///   - anonymousRate: Requests a second of all anonymous clients together.
  public init(clientRate: Int, anonymousRate: Int) {
    rates = RequestRates(clientRate: clientRate, anonymousRate: anonymousRate)
  }

  /// The number of requests that one of this many bytes counts as.
  public static func cost(ofBytes count: Int) -> Int { 1 + min(max(count, 0), 64 << 10) / 1_024 }

  /// Whether the request may begin now; otherwise ``popDue(now:)`` will return its ticket.
  public mutating func take(_ ticket: Ticket, of client: RequestClient, cost: Int = 1, now: Instant) -> Bool {
    rates.trim(now: now)
    if !isBehindOthers(client), rates.isDue(client, now: now) {
      rates.count(cost, of: client, now: now)
      return true
    }
    let entry = FairQueue<Waiting>.Entry(job: Waiting(ticket: ticket, cost: cost), origin: client.key)
    _ = client.isAuthenticated ? authenticatedQueue.append(entry) : anonymousQueue.append(entry)
    return false
  }

  /// The next request that may begin; nil when none may.
  public mutating func popDue(now: Instant) -> Ticket? {
    pop(from: \.authenticatedQueue, isAuthenticated: true, now: now)
      ?? pop(from: \.anonymousQueue, isAuthenticated: false, now: now)
  }

  /// The connection of a waiting request is gone.
  public mutating func withdraw(_ ticket: Ticket, of client: RequestClient) {
    if client.isAuthenticated {
      authenticatedQueue.remove(Waiting(ticket: ticket, cost: 0), of: client.key)
    } else {
      anonymousQueue.remove(Waiting(ticket: ticket, cost: 0), of: client.key)
    }
  }

  public var isEmpty: Bool { authenticatedQueue.isEmpty && anonymousQueue.isEmpty }

  var clientCount: Int { rates.clientCount }

  /// Of anonymous clients none overtakes those that wait for their common rate.
  private func isBehindOthers(_ client: RequestClient) -> Bool {
    client.isAuthenticated ? authenticatedQueue.contains(client.key) : !anonymousQueue.isEmpty
  }

  private mutating func pop(
    from queue: WritableKeyPath<Self, FairQueue<Waiting>>, isAuthenticated: Bool, now: Instant
  ) -> Ticket? {
    guard !self[keyPath: queue].isEmpty, isAuthenticated || rates.isAnonymousDue(now: now) else { return nil }
    let rates = rates
    let entry = self[keyPath: queue].popFirst {
      rates.isDue(RequestClient(isAuthenticated: isAuthenticated, key: $0), now: now)
    }
    guard let entry else { return nil }
    self.rates.count(entry.job.cost, of: RequestClient(isAuthenticated: isAuthenticated, key: entry.origin), now: now)
    return entry.job.ticket
  }
}

/// What clients have used of their rates, by the generic cell rate algorithm, as ``RateLimiter``.
private struct RequestRates: Sendable {
  private static let burst: Duration = .milliseconds(500)

  private let perClient: Duration
  private let perAnonymous: Duration
  /// When each client, and all anonymous ones, will have the whole burst again.
  private var wholeAt: [RequestClient: Instant] = [:]
  private var anonymousWholeAt: Instant?
  private var trimmedAt: Instant?

  init(clientRate: Int, anonymousRate: Int) {
    perClient = .seconds(1) / max(clientRate, 1)
    perAnonymous = .seconds(1) / max(anonymousRate, 1)
  }

  var clientCount: Int { wholeAt.count }

  func isDue(_ client: RequestClient, now: Instant) -> Bool {
    Self.isDue(wholeAt[client], interval: perClient, now: now) && (client.isAuthenticated || isAnonymousDue(now: now))
  }

  func isAnonymousDue(now: Instant) -> Bool { Self.isDue(anonymousWholeAt, interval: perAnonymous, now: now) }

  /// The last request of a burst may cost more than is left, and the next then waits for longer.
  mutating func count(_ cost: Int, of client: RequestClient, now: Instant) {
    wholeAt[client] = max(wholeAt[client] ?? now, now) + perClient * cost
    if !client.isAuthenticated { anonymousWholeAt = max(anonymousWholeAt ?? now, now) + perAnonymous * cost }
  }

  mutating func trim(now: Instant) {
    if let trimmedAt, trimmedAt.duration(to: now) < Self.burst { return }
    trimmedAt = now
    wholeAt = wholeAt.filter { $0.value > now }
  }

  private static func isDue(_ wholeAt: Instant?, interval: Duration, now: Instant) -> Bool {
    guard let wholeAt else { return true }
    return now.duration(to: wholeAt) + interval <= burst
  }
}
