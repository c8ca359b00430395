public import MediaCore

/// How many requests each caller may make: some at once, and then one each so often. Who has used his up costs nobody else
/// anything, and is answered nothing.
public struct CallerBudget: Sendable {
  /// What a request is worth.
  public enum Decision: Sendable, Hashable {
    case admitted
    /// - Parameter isFirst: whether it is the first that is too many since one was admitted.
    case refused(isFirst: Bool)
  }

  private struct Account {
    /// When all is there again (GCRA's theoretical arrival time).
    var restored: MonotonicInstant
    var isExhausted = false
  }

  private let burst: Int
  private let interval: TimeSpan
  private let limit: Int
  private var accounts: [String: Account] = [:]

  /// - Parameters:
  ///   - burst: requests at once, at least one.
  ///   - interval: until one more is there.
  ///   - limit: callers who are remembered at the same time; others are refused.
  public init(burst: Int = 16, interval: TimeSpan = .seconds(1), limit: Int = 256) {
    (self.burst, self.interval, self.limit) = (max(1, burst), interval, limit)
  }

  public mutating func admit(_ caller: String, now: MonotonicInstant) -> Decision {
    if accounts[caller] == nil {
      accounts = accounts.filter { $1.restored > now }
      guard accounts.count < limit else { return .refused(isFirst: false) }
    }
    var account = accounts[caller] ?? Account(restored: now)
    let restored = max(account.restored, now) + interval
    guard restored - now <= interval * Int64(burst) else {
      defer { accounts[caller]?.isExhausted = true }
      return .refused(isFirst: !account.isExhausted)
    }
    (account.restored, account.isExhausted) = (restored, false)
    accounts[caller] = account
    return .admitted
  }
}
