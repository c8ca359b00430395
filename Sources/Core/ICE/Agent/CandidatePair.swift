import MediaCore

/// Names a pair for as long as it lives; a pair that is removed leaves its name unused.
struct PairID: Hashable {
  var rawValue: UInt32
}

/// Two addresses between which checks run (RFC 8445 §6.1.2).
struct CandidatePair {
  enum State {
    /// Waits for a pair of the same foundation to be tried first.
    case frozen
    case waiting
    case inProgress
    case succeeded
    case failed
  }

  let id: PairID
  /// The base of the local candidate.
  let local: TransportAddress
  let remote: TransportAddress
  var localPriority: UInt32
  var remotePriority: UInt32
  /// The foundations of both candidates.
  var foundation: PairFoundation
  let createdAt: MonotonicInstant
  var state = State.frozen
  /// RFC 8445 §6.1.2.3, for the current role.
  var priority: UInt64 = 0
  /// The controlling peer named this pair before our own check of it succeeded.
  var isNominatedByPeer = false
  /// The current check is our nomination.
  var isNominating = false
  /// The current check answers one of the peer's and is repeated regardless of the pair's priority.
  var isTriggered = false
  var lastSuccess: MonotonicInstant?
  /// When the peer's media last came over this pair while another one was selected.
  var lastMedia: MonotonicInstant?
  /// No candidate and no check named the peer's address, only media.
  var isLearntFromMedia = false
  var transaction = STUNTransactionID(high: 0, low: 0)
  /// Runs while the state is ``State/inProgress``.
  var backOff = STUNRetransmissionTimer()

  /// A peer may claim any 32 bits as its priority; ICE allows 31.
  mutating func computePriority(role: ICERole) {
    let ours = UInt64(min(localPriority, 0x7FFF_FFFF))
    let theirs = UInt64(min(remotePriority, 0x7FFF_FFFF))
    let isControllingHigher = role == .controlling ? ours > theirs : theirs > ours
    priority = min(ours, theirs) << 32 + max(ours, theirs) * 2 + (isControllingHigher ? 1 : 0)
  }

  /// The peer answered here recently enough for its consent to hold (RFC 7675 §5.1).
  func isFresh(_ now: MonotonicInstant, _ configuration: ICEConfiguration) -> Bool {
    guard state == .succeeded, let lastSuccess else { return false }
    return now - lastSuccess < configuration.consentTimeout
  }
}

/// Pairs of equal foundations are checked one after the other.
struct PairFoundation: Hashable {
  var local: String
  var remote: String
}
