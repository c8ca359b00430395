import MediaCore

/// An authentic check that came before the peer's credentials did.
struct EarlyCheck {
  /// More are answered, but not remembered: the peer repeats them.
  static let limit = 8

  var local: TransportAddress
  var remote: TransportAddress
  var priority: UInt32
  var useCandidate: Bool
  /// The peer's username fragment as the check claims it.
  var remoteFragment: [UInt8]
}
