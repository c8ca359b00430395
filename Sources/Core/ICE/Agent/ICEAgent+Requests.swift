import MediaCore

extension ICEAgent {
  /// Answers a check and learns from it (RFC 8445 §7.3). A sender that does not know our password changes nothing.
  ///
  /// - Returns: whether the check is authentic.
  mutating func handleRequest(
    _ message: STUNMessage, _ datagram: RawSpan, from remote: TransportAddress, to local: TransportAddress,
    now: MonotonicInstant
  ) -> Bool {
    let roleBefore = role
    let outcome = checks.answer(message, datagram, from: remote, to: local, credentials)
    if role != roleBefore { nomination.reset() }
    guard outcome != .ignored else { return false }
    if selected?.leads(from: local, to: remote) == true { selected?.consent.noteReceived(now: now) }
    guard case .accepted(let check) = outcome else { return true }
    if credentials.current.remote == nil {
      earlyChecks.remember(check)
    } else {
      take(check, now: now)
    }
    return true
  }

  /// Acts on an authentic check: checks the same way back, and follows a nomination (RFC 8445 §7.3.1.4, §7.3.1.5).
  mutating func take(_ check: ReceivedCheck, now: MonotonicInstant) {
    guard phase != .failed, check.local.canReach(check.remote), check.remote.isUnicast,
      let index = checklist.pairForCheck(
        from: check.remote, to: check.local, priority: check.priority, circumstances(now: now))
    else { return }
    let isNomination = check.useCandidate && role == .controlled
    if checklist[index].isFresh(now, configuration) {
      if isNomination { followNomination(index, now: now) }
    } else {
      if isNomination { checklist[index].isNominatedByPeer = true }
      if !checklist[index].isNominating { checklist.trigger(index) }
    }
  }
}
