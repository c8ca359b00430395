internal import MediaCore

/// Wrong PINs of each rule. From the third in a row on the rule takes none for a while: 30 s, then twice as long with each
/// further one, up to an hour.
///
/// All who try count together: a caller's name is cheap where anonymous ones may call.
struct PINThrottle: Sendable {
  private struct Failures {
    var count = 0
    var lockedUntil: MonotonicInstant?
  }

  private static let free = 2
  private static let firstLock = TimeSpan.seconds(30)
  private static let longestLock = TimeSpan.seconds(3_600)

  private var failures: [String: Failures] = [:]

  /// How long no PIN is taken; nil if one is.
  func wait(_ rule: String, now: MonotonicInstant) -> TimeSpan? {
    guard let until = failures[rule]?.lockedUntil, until > now else { return nil }
    return until - now
  }

  mutating func failed(_ rule: String, now: MonotonicInstant) {
    var entry = failures[rule] ?? Failures()
    entry.count = min(entry.count + 1, 64)
    if entry.count > Self.free {
      let doublings = min(entry.count - Self.free - 1, 7)
      entry.lockedUntil = now + min(Self.firstLock * Int64(1 << doublings), Self.longestLock)
    }
    failures[rule] = entry
  }

  mutating func succeeded(_ rule: String) { failures[rule] = nil }
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
