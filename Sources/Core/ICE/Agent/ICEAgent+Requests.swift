import MediaCore

extension ICEAgent {
  /// Answers a check and learns from it (RFC 8445 §7.3). Whoever does not know our password changes nothing.
  ///
  /// - Returns: whether the check is authentic.
  mutating func handleRequest(
    _ message: STUNMessage, _ datagram: RawSpan, from remote: TransportAddress, to local: TransportAddress,
    now: MonotonicInstant
  ) -> Bool {
    guard let username = message.username, let set = credentials.addressed(by: datagram.extracting(username)),
      message.integrityOffset != nil
    else { return false }
    var response = OutgoingResponse(
      kind: .success, transactionID: message.header.transactionID, local: local, remote: remote)
    guard message.hasValidIntegrity(in: datagram, password: set.localPassword, crypto: crypto) else {
      guard message.hasFingerprint else { return false }
      response.kind = .error(401)
      checks.respond(response)
      return false
    }
    if selected?.leads(from: local, to: remote) == true { selected?.consent.noteHeard(now: now) }
    response.generation = set.generation
    response.unknownAttributes = message.unknownAttributes
    if let error = refusal(of: message) { response.kind = .error(error) }
    checks.respond(response)
    guard case .success = response.kind, set.generation == generation else { return true }
    learn(message, datagram, from: remote, to: local, now: now)
    return true
  }

  /// Returns the code of the error response that an authentic request deserves, if it does.
  private mutating func refusal(of message: STUNMessage) -> Int? {
    guard message.unknownAttributes.isEmpty else { return 420 }
    guard message.priority != nil else { return 400 }
    switch checks.resolveRole(message) {
    case .agreed: return nil
    case .refused: return 487
    case .switched:
      nominationDeadline = nil
      return nil
    }
  }

  private mutating func learn(
    _ message: STUNMessage, _ datagram: RawSpan, from remote: TransportAddress, to local: TransportAddress,
    now: MonotonicInstant
  ) {
    let priority = message.priority ?? 0
    if credentials.current.remote != nil {
      takeCheck(from: remote, to: local, priority: priority, useCandidate: message.useCandidate, now: now)
    } else if let range = message.username {
      let prefix = credentials.current.incomingPrefix.count
      earlyChecks.remember(
        EarlyCheck(
          local: local, remote: remote, priority: priority, useCandidate: message.useCandidate,
          remoteFragment: datagram.extracting(range.lowerBound + prefix..<range.upperBound)
            .copiedToArray()))
    }
  }

  /// Acts on an authentic check: checks the same way back, and follows a nomination (RFC 8445 §7.3.1.4, §7.3.1.5).
  mutating func takeCheck(
    from remote: TransportAddress, to local: TransportAddress, priority: UInt32, useCandidate: Bool,
    now: MonotonicInstant
  ) {
    guard phase != .failed, local.canReach(remote), remote.isUnicast,
      let index = pairForCheck(from: remote, to: local, priority: priority, now: now)
    else { return }
    let isNomination = useCandidate && role == .controlled
    if checklist[index].isFresh(now, configuration) {
      if isNomination { followNomination(index, now: now) }
    } else {
      if isNomination { checklist[index].isNominatedByPeer = true }
      if !checklist[index].isNominating { checklist.trigger(index) }
    }
  }
}
