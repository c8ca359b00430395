public import MediaCore

/// How many requests each caller may make: some at once, and then one each so often. A caller who has used them up costs no
/// other caller anything, and is sent a bounded number of refusals.
public struct CallerBudget: Sendable {
  /// What a request is worth.
  public enum Decision: Sendable, Hashable {
    case admitted
    case refused(Refusal)
  }

  /// A request beyond the budget.
  public struct Refusal: Sendable, Hashable {
    /// Whether it is the first one since the caller's whole budget was there, and so worth a line in the log.
    public var isFirst: Bool
    /// Whether the caller is sent the refusal: at most one in each interval.
    public var isAnswered: Bool
    /// Until the next request is admitted.
    public var wait: TimeSpan
  }

  private struct Account {
    /// When the budget is full again (GCRA's theoretical arrival time).
    var restored: MonotonicInstant
    var isExhausted = false
    var answered: MonotonicInstant?
  }

  private let burst: Int
  private let interval: TimeSpan
  private let limit: Int
  private var accounts: [String: Account] = [:]

  /// - Parameters:
  ///   - burst: requests at once, at least one.
  ///   - interval: the refill time of one use.
  ///   - limit: callers who are remembered at the same time; others are refused without an answer.
  public init(burst: Int = 16, interval: TimeSpan = .seconds(1), limit: Int = 256) {
    (self.burst, self.interval, self.limit) = (max(1, burst), interval, limit)
  }

  public mutating func admit(_ caller: String, now: MonotonicInstant) -> Decision {
    if accounts[caller] == nil {
      accounts = accounts.filter { $1.restored > now }
      guard accounts.count < limit else {
        return .refused(Refusal(isFirst: false, isAnswered: false, wait: interval))
      }
    }
    var account = accounts[caller] ?? Account(restored: now)
    if account.restored <= now { account.isExhausted = false }
    defer { accounts[caller] = account }
    let restored = max(account.restored, now) + interval
    let wait = restored - now - interval * Int64(burst)
    guard wait > .zero else {
      account.restored = restored
      return .admitted
    }
    return .refused(refuse(&account, wait: wait, now: now))
  }

  private func refuse(_ account: inout Account, wait: TimeSpan, now: MonotonicInstant) -> Refusal {
    let isAnswered = account.answered.map { now - $0 >= interval } ?? true
    if isAnswered { account.answered = now }
    defer { account.isExhausted = true }
    return Refusal(isFirst: !account.isExhausted, isAnswered: isAnswered, wait: wait)
  }
}
