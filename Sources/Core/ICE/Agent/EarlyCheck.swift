import MediaCore

/// An authentic check that came before the peer's credentials did.
struct EarlyCheck {
  var local: TransportAddress
  var remote: TransportAddress
  var priority: UInt32
  var useCandidate: Bool
  /// The peer's username fragment as the check claims it.
  var remoteFragment: [UInt8]
}

/// The early checks, by the way they came.
struct EarlyChecks {
  /// More are answered, but not remembered: the peer repeats them.
  private static let limit = 8

  private var checks: [EarlyCheck] = []

  mutating func remember(_ check: EarlyCheck) {
    if let known = checks.firstIndex(where: { $0.local == check.local && $0.remote == check.remote }) {
      checks[known].useCandidate = checks[known].useCandidate || check.useCandidate
    } else if checks.count < Self.limit {
      checks.append(check)
    }
  }

  mutating func removeAll(local: TransportAddress) { checks.removeAll { $0.local == local } }

  mutating func removeAll() { checks.removeAll() }

  /// Takes those that claim this fragment of the peer's; the others are forgotten.
  mutating func take(claiming fragment: [UInt8]) -> [EarlyCheck] {
    defer { checks.removeAll() }
    return checks.filter { $0.remoteFragment == fragment }
  }
}
