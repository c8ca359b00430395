import MediaCore

// MARK: - Forming pairs (RFC 8445 §6.1.2)

extension Checklist {
  /// More addresses that only media came from are not checked at a time: an attacker who repeats a peer's packets from
  /// elsewhere can make us send little, and that little to few.
  private static var unprovenLimit: Int { 4 }

  /// Adds a local address and pairs it with the peer's known ones; false where it is known, or one too many.
  mutating func addLocal(_ candidate: ICECandidate, _ circumstances: PairCircumstances) -> Bool {
    guard candidates.addLocal(candidate) else { return false }
    for remote in candidates.remote { pair(candidate, remote, circumstances) }
    return true
  }

  /// Adds an address that the peer signalled, and pairs it with ours; false where it is known, unusable, or one too many.
  mutating func addRemote(_ candidate: ICECandidate, _ circumstances: PairCircumstances) -> Bool {
    guard candidates.addRemote(candidate) else { return false }
    adoptPeerReflexive(candidate, role: circumstances.role)
    for local in candidates.local { pair(local, candidate, circumstances) }
    return true
  }

  /// Removes local addresses that are gone, and the pairs that begin there.
  mutating func removeLocal(where isGone: (ICECandidate) -> Bool) {
    let gone = candidates.removeLocal(where: isGone)
    remove { gone.contains($0.local) }
  }

  /// Restarts with these local addresses, none of the peer's, and no pairs.
  mutating func restart(_ local: [ICECandidate]) {
    candidates.restart(local)
    removeAll()
  }

  /// A server-reflexive candidate makes no pairs: its base's serve (RFC 8445 §6.1.2.4).
  private mutating func pair(_ local: ICECandidate, _ remote: ICECandidate, _ circumstances: PairCircumstances) {
    guard local.kind != .serverReflexive, local.base.canReach(remote.address),
      index(local: local.base, remote: remote.address) == nil
    else { return }
    _ = insert(
      Ingredients(
        local: local.base, remote: remote.address, localPriority: local.priority, remotePriority: remote.priority,
        foundation: PairFoundation(local: local.foundation, remote: remote.foundation)), circumstances)
  }

  /// An address that was learnt from a check is now signalled: its signalled priority and foundation count.
  private mutating func adoptPeerReflexive(_ candidate: ICECandidate, role: ICERole) {
    for index in pairs.indices where pairs[index].remote == candidate.address {
      self[index].remotePriority = candidate.priority
      self[index].foundation.remote = candidate.foundation
      self[index].computePriority(role: role)
    }
  }

  /// Finds the pair of addresses over which an authentic check came, or makes it (RFC 8445 §7.3.1.3).
  mutating func pairForCheck(
    from remote: TransportAddress, to local: TransportAddress, priority: UInt32, _ circumstances: PairCircumstances
  ) -> Int? {
    if let index = index(local: local, remote: remote) { return index }
    let candidate = candidates.local.first { $0.base == local } ?? .host(local, localPreference: 0)
    return insert(
      Ingredients(
        local: local, remote: remote, localPriority: candidate.priority, remotePriority: priority,
        foundation: PairFoundation(
          local: candidate.foundation, remote: ICECandidate.makeFoundation(.peerReflexive, base: remote))),
      circumstances)
  }

  /// Finds the pair of addresses over which an authentic packet of media came, or makes it; nil where there are too many
  /// of which nothing else is known.
  mutating func pairForMedia(
    from remote: TransportAddress, to local: TransportAddress, _ circumstances: PairCircumstances
  ) -> Int? {
    if let index = index(local: local, remote: remote) { return index }
    let unproven = pairs.count { $0.isLearntFromMedia && $0.lastSuccess == nil && $0.state != .failed }
    guard unproven < Self.unprovenLimit else { return nil }
    // The peer's own priority is not known before it checks this pair itself.
    let priority = ICECandidate.makePriority(.peerReflexive, localPreference: 0)
    let index = pairForCheck(from: remote, to: local, priority: priority, circumstances)
    if let index { self[index].isLearntFromMedia = true }
    return index
  }
}
