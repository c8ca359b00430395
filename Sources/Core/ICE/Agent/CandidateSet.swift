import MediaCore

/// The candidates of both sides, bounded in number.
struct CandidateSet {
  private static let localLimit = 16
  private static let remoteLimit = 64

  private(set) var local: [ICECandidate] = []
  private(set) var remote: [ICECandidate] = []

  /// Adds a local candidate; false where it is known, or one too many. A server-reflexive one takes the place of what
  /// the same server reported before.
  mutating func addLocal(_ candidate: ICECandidate) -> Bool {
    if candidate.kind == .serverReflexive {
      local.removeAll { $0.isOfSameQuestion(as: candidate) && $0 != candidate }
    }
    guard local.count < Self.localLimit, !local.contains(candidate) else { return false }
    local.append(candidate)
    return true
  }

  /// Adds one that the peer signalled; false where it is known, unusable, or one too many.
  mutating func addRemote(_ candidate: ICECandidate) -> Bool {
    guard candidate.address.isUnicast, remote.count < Self.remoteLimit,
      !remote.contains(where: { $0.address == candidate.address })
    else { return false }
    remote.append(candidate)
    return true
  }

  /// Removes local candidates that are gone; returns their bases.
  @discardableResult
  mutating func removeLocal(where isGone: (ICECandidate) -> Bool) -> [TransportAddress] {
    let gone = local.filter(isGone).map { $0.base }
    local.removeAll(where: isGone)
    return gone
  }

  /// Restarts with these local candidates, and none of the peer's.
  mutating func restart(_ candidates: [ICECandidate]) {
    local = Array(candidates.prefix(Self.localLimit))
    remote.removeAll()
  }
}
