import MediaCore

/// Finds whose packet a datagram may be that comes from an unknown address: by the source (SSRC) that it names.
///
/// Bounded by the sources that sessions know. A source that several peers use, as browsers do that send nothing (they
/// report as 1), leads to the last of them; the others are found by their connectivity checks.
struct SSRCOwnerTable<Owner: AnyObject> {
  private var owners: [UInt32: Owner] = [:]

  mutating func insert(_ source: UInt32, of owner: Owner) { owners[source] = owner }

  mutating func removeAll(of owner: Owner) {
    // Rare and short: when a session ends.
    owners = owners.filter { $0.value !== owner }
  }

  subscript(source: UInt32) -> Owner? { owners[source] }
}

/// Bounds what datagrams from unknown addresses cost that name a known source: a limited number a second may fail to
/// authenticate, then no more are tried.
struct StrayAllowance {
  private static var failuresPerSecond: Int { 50 }

  private var second = MonotonicInstant(nanoseconds: .min)
  private var failures = 0

  /// Whether one more may be tried.
  mutating func admits(now: MonotonicInstant) -> Bool {
    if now >= second {
      second = now + .seconds(1)
      failures = 0
    }
    return failures < Self.failuresPerSecond
  }

  mutating func noteFailure() { failures += 1 }
}
