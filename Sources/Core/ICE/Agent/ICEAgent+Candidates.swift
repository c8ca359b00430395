public import MediaCore

extension ICEAgent {
  static var localCandidateLimit: Int { 16 }
  static var remoteCandidateLimit: Int { 64 }

  /// Adds an address of our own, at any time; pairs it with what is known of the peer.
  ///
  /// A server-reflexive candidate makes no pairs: its base's serve (RFC 8445 §6.1.2.4). It takes the place of what the
  /// same server told before.
  public mutating func addLocalCandidate(_ candidate: ICECandidate, now: MonotonicInstant) {
    if candidate.kind == .serverReflexive {
      localCandidates.removeAll { $0.isOfSameQuestion(as: candidate) && $0 != candidate }
    }
    guard localCandidates.count < Self.localCandidateLimit, !localCandidates.contains(candidate) else { return }
    localCandidates.append(candidate)
    for remote in remoteCandidates { pair(candidate, remote, now: now) }
    handleTimeout(now: now)
  }

  /// Takes back a relayed address of our own that is gone, and its pairs.
  ///
  /// If the selected path began there, ``selectedPair`` is nil until another one has been found
  /// (``ICEEvent/connected(_:)``).
  public mutating func removeLocalCandidate(_ base: TransportAddress, now: MonotonicInstant) {
    localCandidates.removeAll { $0.base == base }
    earlyChecks.removeAll { $0.local == base }
    transactions.removeAll(local: base)
    checklist.remove { $0.local == base }
    if selected?.path.local == base { leaveLostPath(now: now) }
    handleTimeout(now: now)
  }

  /// Forgets addresses of our own that are gone, and the pairs that begin there. A path in use stays until another is
  /// found or the peer's consent runs out.
  public mutating func removeLocalCandidates(now: MonotonicInstant, where isGone: (ICECandidate) -> Bool) {
    let gone = localCandidates.filter(isGone).map { $0.base }
    localCandidates.removeAll(where: isGone)
    checklist.remove { gone.contains($0.local) }
    handleTimeout(now: now)
  }

  /// Adds an address that the peer signalled, at any time after or before its credentials.
  public mutating func addRemoteCandidate(_ candidate: ICECandidate, now: MonotonicInstant) {
    guard candidate.address.isUnicast, remoteCandidates.count < Self.remoteCandidateLimit,
      !remoteCandidates.contains(where: { $0.address == candidate.address })
    else { return }
    remoteCandidates.append(candidate)
    adoptPeerReflexive(candidate)
    for local in localCandidates { pair(local, candidate, now: now) }
    handleTimeout(now: now)
  }

  /// Sets the peer's username fragment and password. Checks that came earlier take effect now.
  public mutating func setRemoteCredentials(_ remote: ICECredentials, now: MonotonicInstant) {
    guard credentials.remote == nil else { return }
    credentials.setRemote(remote)
    phase = .checking(deadline: now + configuration.connectTimeout)
    for check in earlyChecks where check.remoteFragment == credentials.remoteFragment {
      takeCheck(
        from: check.remote, to: check.local, priority: check.priority, useCandidate: check.useCandidate, now: now)
    }
    earlyChecks.removeAll()
    handleTimeout(now: now)
  }

  /// Starts anew with other credentials (RFC 8445 §9); the path in use carries on until a new one is selected.
  ///
  /// - Parameters:
  ///   - credentials: our new ones, to be signalled to the peer.
  ///   - candidates: our addresses from now on.
  public mutating func restart(
    credentials new: ICECredentials, candidates: [ICECandidate], now: MonotonicInstant
  ) {
    previousCredentials = selected == nil ? nil : (selectedCredentials ?? credentials)
    credentials = CredentialSet(new, generation: credentials.generation &+ 1)
    selected?.pair = nil
    checklist.removeAll()
    remoteCandidates.removeAll()
    earlyChecks.removeAll()
    localCandidates = Array(candidates.prefix(Self.localCandidateLimit))
    nominationDeadline = nil
    phase = .idle
    handleTimeout(now: now)
  }

  private var selectedCredentials: CredentialSet? { selected.flatMap { credentialSet($0.generation) } }
}

extension ICEAgent {
  private mutating func pair(_ local: ICECandidate, _ remote: ICECandidate, now: MonotonicInstant) {
    guard local.kind != .serverReflexive, local.base.canReach(remote.address),
      checklist.index(local: local.base, remote: remote.address) == nil
    else { return }
    insertPair(
      Checklist.Ingredients(
        local: local.base, remote: remote.address, localPriority: local.priority, remotePriority: remote.priority,
        foundation: PairFoundation(local: local.foundation, remote: remote.foundation)), now: now)
  }

  @discardableResult
  private mutating func insertPair(_ new: Checklist.Ingredients, now: MonotonicInstant) -> Int? {
    checklist.insert(new, role: role, now: now, sparing: selected?.pair)
  }

  /// An address that was learnt from a check is now signalled: its signalled priority and foundation count.
  private mutating func adoptPeerReflexive(_ candidate: ICECandidate) {
    for index in checklist.pairs.indices where checklist[index].remote == candidate.address {
      checklist[index].remotePriority = candidate.priority
      checklist[index].foundation.remote = candidate.foundation
      checklist[index].computePriority(role: role)
    }
  }

  /// Finds the pair of addresses over which an authentic check came, or makes it (RFC 8445 §7.3.1.3).
  mutating func pairForCheck(
    from remote: TransportAddress, to local: TransportAddress, priority: UInt32, now: MonotonicInstant
  ) -> Int? {
    if let index = checklist.index(local: local, remote: remote) { return index }
    let candidate = localCandidates.first { $0.base == local } ?? .host(local, localPreference: 0)
    return insertPair(
      Checklist.Ingredients(
        local: local, remote: remote, localPriority: candidate.priority, remotePriority: priority,
        foundation: PairFoundation(
          local: candidate.foundation, remote: ICECandidate.makeFoundation(.peerReflexive, base: remote))), now: now)
  }
}
