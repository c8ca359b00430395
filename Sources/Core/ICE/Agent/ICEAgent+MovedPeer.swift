public import MediaCore

extension ICEAgent {
  /// More addresses that only media came from are not checked at a time: whoever repeats a peer's packets from
  /// elsewhere can make us send little, and that little to few.
  private static var unprovenLimit: Int { 4 }

  /// Notes that an authentic packet of media came: the selected path lives, or the peer has moved.
  ///
  /// Cheap, and without effect on what is sent, as long as packets come over the selected path. A packet that comes
  /// over another one, where somebody may have repeated it, has that one checked and the selected one as well.
  public mutating func notePacket(from remote: TransportAddress, to local: TransportAddress, now: MonotonicInstant) {
    guard let path = selected?.path else { return }
    if path.remote == remote, path.local == local {
      if selected?.consent.noteMedia(now: now) == true { refreshDeadline(now: now) }
    } else {
      noteDiversion(from: remote, to: local, now: now)
      handleTimeout(now: now)
    }
  }

  private mutating func noteDiversion(from remote: TransportAddress, to local: TransportAddress, now: MonotonicInstant)
  {
    guard phase == .connected, credentials.remote != nil, local.canReach(remote), remote.isUnicast,
      let index = pairForMedia(from: remote, to: local, now: now)
    else { return }
    let pair = checklist[index]
    checklist[index].lastMedia = now
    let isNew = pair.lastMedia.map { now - $0 >= configuration.answerTime } ?? true
    let isIdle = pair.state != .inProgress && !pair.isTriggered && pair.lastSuccess == nil
    // An address that has never answered a check casts doubt but once.
    let isDoubt =
      (isNew || pair.lastSuccess != nil) && selected?.consent.mayDoubt(now: now, configuration) == true
      && suspectSelectedPath(now: now)
    if isNew || isIdle || isDoubt, !pair.isNominating { checklist.trigger(index) }
  }

  private mutating func pairForMedia(
    from remote: TransportAddress, to local: TransportAddress, now: MonotonicInstant
  ) -> Int? {
    if let index = checklist.index(local: local, remote: remote) { return index }
    let unproven = checklist.pairs.count { $0.isLearntFromMedia && $0.lastSuccess == nil && $0.state != .failed }
    guard unproven < Self.unprovenLimit else { return nil }
    // The peer's own priority is not known before it checks this pair itself.
    let priority = ICECandidate.makePriority(.peerReflexive, localPreference: 0)
    let index = pairForCheck(from: remote, to: local, priority: priority, now: now)
    if let index { checklist[index].isLearntFromMedia = true }
    return index
  }
}

extension ICEAgent {
  /// Asks over the selected path at once whether it works.
  ///
  /// - Returns: false if it was in doubt already.
  @discardableResult
  mutating func suspectSelectedPath(now: MonotonicInstant) -> Bool {
    guard selected?.consent.suspect(now: now) == true else { return false }
    if let index = selected?.pair.flatMap(checklist.index(of:)), !checklist[index].isNominating {
      checklist.trigger(index)
    }
    return true
  }

  /// Doubts the selected path when it has fallen silent, and tells the owner when it stays so.
  mutating func doubtSilentPath(now: MonotonicInstant) {
    guard let current = selected else { return }
    if now >= current.consent.doubtDeadline(configuration) {
      suspectSelectedPath(now: now)
      // After a restart the pairs are those of the path to come.
      if current.pair != nil { checklist.recheckAll() }
    } else if now >= current.consent.reportDeadline(configuration) {
      selected?.consent.noteReport()
      events.append(.suspected)
    }
  }

  /// Takes the other path when the selected one has been silent for long enough.
  mutating func leaveSilentPath(now: MonotonicInstant) {
    guard let consent = selected?.consent, let index = alternative(now: now),
      now >= consent.lossDeadline(isPeerElsewhere: isPeerOn(checklist[index]), configuration)
    else { return }
    if role == .controlled {
      select(index, now: now)
    } else if !checklist.pairs.contains(where: { $0.isNominating }) {
      sendCheck(index, purpose: .nomination, now: now)
    }
  }

  /// The best pair that has answered since the selected one fell into doubt, one that carries the peer's media before
  /// all others.
  private func alternative(now: MonotonicInstant) -> Int? {
    guard let current = selected, let since = current.consent.suspectSince else { return nil }
    func answers(_ pair: CandidatePair) -> Bool {
      pair.id != current.pair && pair.isFresh(now, configuration) && (pair.lastSuccess ?? since) >= since
    }
    return checklist.best { answers($0) && isPeerOn($0) } ?? checklist.best(where: answers)
  }

  /// Whether the peer's media has come over a pair since the selected one fell into doubt.
  private func isPeerOn(_ pair: CandidatePair) -> Bool {
    guard let since = selected?.consent.suspectSince, let last = pair.lastMedia else { return false }
    return last >= since
  }
}
