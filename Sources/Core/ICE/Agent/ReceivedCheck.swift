import MediaCore

/// An authentic check of the peer's.
struct ReceivedCheck: Equatable {
  var local: TransportAddress
  var remote: TransportAddress
  var priority: UInt32
  var useCandidate: Bool
  /// The peer's username fragment as the check claims it.
  var remoteFragment: [UInt8]
}

/// The checks that came before the peer's credentials did, by the way they came.
struct EarlyChecks {
  /// More are answered, but not remembered: the peer repeats them.
  private static let limit = 8

  private var checks: [ReceivedCheck] = []

  mutating func remember(_ check: ReceivedCheck) {
    if let known = checks.firstIndex(where: { $0.local == check.local && $0.remote == check.remote }) {
      checks[known].useCandidate = checks[known].useCandidate || check.useCandidate
    } else if checks.count < Self.limit {
      checks.append(check)
    }
  }

  mutating func removeAll(local: TransportAddress) { checks.removeAll { $0.local == local } }

  mutating func removeAll() { checks.removeAll() }

  /// Takes those that claim this fragment of the peer's; the others are forgotten.
  mutating func take(claiming fragment: [UInt8]) -> [ReceivedCheck] {
    defer { checks.removeAll() }
    return checks.filter { $0.remoteFragment == fragment }
  }
}
