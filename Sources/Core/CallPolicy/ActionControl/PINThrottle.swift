internal import MediaCore

/// Wrong PINs of each rule.
///
/// Each requester counts alone, so that no one locks others out: from the third wrong one in a row on it has to wait for
/// 30 s, then twice as long with each further one, up to an hour. Names may be cheap, so all requesters together have
/// ``allowance`` wrong ones, and one more each ``recovery``; only those who have entered the PIN before are heard beyond
/// that. One requester alone, who ends at one an hour, never uses that up.
struct PINThrottle: Sendable {
  private struct Failures {
    var count = 0
    var lockedUntil: MonotonicInstant?
    /// Entered the right PIN last, but for at most ``free`` wrong ones.
    var hasProven = false
  }

  private struct Rule {
    var failures: [PINRequester: Failures] = [:]
    /// When the allowance is whole again.
    var wholeAt: MonotonicInstant?
  }

  private static let free = 2
  private static let firstLock = TimeSpan.seconds(30)
  private static let longestLock = TimeSpan.seconds(3_600)
  private static let allowance: Int64 = 12
  private static let recovery = TimeSpan.seconds(1_800)
  /// Further ones count as one.
  private static let maxRequesters = 256

  private var rules: [String: Rule] = [:]

  /// How long no PIN of the requester is taken; nil if one is.
  func wait(_ requester: ActionRequester, _ ruleName: String, now: MonotonicInstant) -> TimeSpan? {
    guard let rule = rules[ruleName] else { return nil }
    let failures = rule.failures[key(requester, in: rule)]
    let ofAll = failures?.hasProven == true ? nil : rule.wholeAt.map { $0 - Self.recovery * (Self.allowance - 1) }
    let until = [failures?.lockedUntil, ofAll].compactMap { $0 }.max()
    return until.flatMap { $0 > now ? $0 - now : nil }
  }

  mutating func failed(_ requester: ActionRequester, _ ruleName: String, now: MonotonicInstant) {
    var rule = rules[ruleName] ?? Rule()
    let key = key(requester, in: rule)
    var entry = rule.failures[key] ?? Failures()
    if !entry.hasProven { rule.wholeAt = max(rule.wholeAt ?? now, now) + Self.recovery }
    entry.count = min(entry.count + 1, 64)
    if entry.count > Self.free {
      let doublings = min(entry.count - Self.free - 1, 7)
      entry.lockedUntil = now + min(Self.firstLock * Int64(1 << doublings), Self.longestLock)
      entry.hasProven = false
    }
    rule.failures[key] = entry
    rules[ruleName] = rule
  }

  mutating func succeeded(_ requester: ActionRequester, _ ruleName: String) {
    var rule = rules[ruleName] ?? Rule()
    let key = key(requester, in: rule)
    switch key {
    case .shared: rule.failures[key] = nil
    case .own: rule.failures[key] = Failures(hasProven: true)
    }
    rules[ruleName] = rule
  }

  private func key(_ requester: ActionRequester, in rule: Rule) -> PINRequester {
    let key = PINRequester(requester)
    return rule.failures[key] == nil && rule.failures.count >= Self.maxRequesters ? .shared : key
  }
}

/// Whose wrong PINs count together.
private enum PINRequester: Hashable {
  case own(String)
  /// Those who get a name for the asking.
  case shared

  init(_ requester: ActionRequester) {
    switch requester {
    case .local, .http, .mqtt, .button, .event: self = .own("\(requester)")
    case .party(let party):
      switch party.role {
      case .anonymous, .viewer: self = .shared
      case .operator, .user, .device, .guest, nil: self = .own("\(requester)")
      }
    }
  }
}

/// Compares in constant time; only the length of the entry leaks.
func isSamePIN(_ entered: String, _ expected: String) -> Bool {
  let entered = Array(entered.utf8)
  let expected = Array(expected.utf8)
  var difference: UInt8 = entered.count == expected.count ? 0 : 1
  for index in entered.indices {
    difference |= entered[index] ^ (expected.isEmpty ? 1 : expected[index % expected.count])
  }
  return difference == 0 && !expected.isEmpty
}
