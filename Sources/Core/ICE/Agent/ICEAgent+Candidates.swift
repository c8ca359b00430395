public import MediaCore

extension ICEAgent {
  /// Adds a local address, at any time; pairs it with the peer's known ones.
  ///
  /// A server-reflexive candidate takes the place of what the same server reported before.
  public mutating func addLocalCandidate(_ candidate: ICECandidate, now: MonotonicInstant) {
    if checklist.addLocal(candidate, circumstances(now: now)) { handleTimeout(now: now) }
  }

  /// Withdraws a local relayed address that is gone, and its pairs.
  ///
  /// If the selected path began there, ``selectedPair`` is nil until another one has been found
  /// (``ICEEvent/connected(_:)``).
  public mutating func removeLocalCandidate(_ base: TransportAddress, now: MonotonicInstant) {
    checklist.removeLocal { $0.base == base }
    earlyChecks.removeAll(local: base)
    checks.removeAll(local: base)
    if selected?.path.local == base { leaveLostPath(now: now) }
    handleTimeout(now: now)
  }

  /// Removes local addresses that are gone, and the pairs that begin there. A path in use stays until another is
  /// found or the peer's consent runs out.
  public mutating func removeLocalCandidates(now: MonotonicInstant, where isGone: (ICECandidate) -> Bool) {
    checklist.removeLocal(where: isGone)
    handleTimeout(now: now)
  }

  /// Adds an address that the peer signalled, at any time after or before its credentials.
  public mutating func addRemoteCandidate(_ candidate: ICECandidate, now: MonotonicInstant) {
    if checklist.addRemote(candidate, circumstances(now: now)) { handleTimeout(now: now) }
  }

  /// Sets the peer's username fragment and password. Checks that came earlier take effect now.
  public mutating func setRemoteCredentials(_ remote: ICECredentials, now: MonotonicInstant) {
    guard credentials.current.remote == nil else { return }
    credentials.setRemote(remote)
    phase = .checking(deadline: now + configuration.connectTimeout)
    for check in earlyChecks.take(claiming: credentials.current.remoteFragment) { take(check, now: now) }
    handleTimeout(now: now)
  }

  /// Restarts ICE with other credentials (RFC 8445 §9); the path in use carries on until a new one is selected.
  ///
  /// - Parameters:
  ///   - credentials: our new ones, to be signalled to the peer.
  ///   - candidates: our addresses from now on.
  public mutating func restart(
    credentials new: ICECredentials, candidates local: [ICECandidate], now: MonotonicInstant
  ) {
    credentials.restart(new, keeping: selected?.generation)
    selected?.pair = nil
    checklist.restart(local)
    earlyChecks.removeAll()
    nomination.reset()
    phase = .idle
    handleTimeout(now: now)
  }
}

extension ICEAgent {
  /// What pairs that are made now depend on.
  func circumstances(now: MonotonicInstant) -> PairCircumstances {
    PairCircumstances(role: role, spared: selected?.pair, now: now)
  }
}
