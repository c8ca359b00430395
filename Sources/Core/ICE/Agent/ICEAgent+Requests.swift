import MediaCore

extension ICEAgent {
  /// Answers a check and learns from it (RFC 8445 §7.3). Whoever does not know our password changes nothing.
  ///
  /// - Returns: whether the check is authentic.
  mutating func handleRequest(
    _ message: STUNMessage, _ datagram: RawSpan, from remote: TransportAddress, to local: TransportAddress,
    now: MonotonicInstant
  ) -> Bool {
    guard let set = addressedSet(message, datagram), message.integrityOffset != nil else { return false }
    var response = OutgoingResponse(
      kind: .success, transactionID: message.header.transactionID, local: local, remote: remote)
    guard message.hasValidIntegrity(in: datagram, password: set.localPassword, crypto: crypto) else {
      guard message.hasFingerprint else { return false }
      response.kind = .error(401)
      outgoing.append(.response(response))
      return false
    }
    if let path = selected?.path, path.remote == remote, path.local == local {
      selected?.consent.noteHeard(now: now)
    }
    response.generation = set.generation
    response.unknownAttributes = message.unknownAttributes
    if let error = refusal(of: message) { response.kind = .error(error) }
    outgoing.append(.response(response))
    guard case .success = response.kind, set.generation == credentials.generation else { return true }
    learn(message, datagram, from: remote, to: local, now: now)
    return true
  }

  /// The credentials whose fragments the username names, ours first, the peer's (if known) second.
  private func addressedSet(_ message: STUNMessage, _ datagram: RawSpan) -> CredentialSet? {
    guard let range = message.username else { return nil }
    let username = datagram.extracting(range)
    if Self.matches(username, credentials) { return credentials }
    guard let previousCredentials, Self.matches(username, previousCredentials) else { return nil }
    return previousCredentials
  }

  private static func matches(_ username: RawSpan, _ set: CredentialSet) -> Bool {
    let prefix = set.incomingPrefix.count
    guard username.byteCount > prefix, areEqual(username.extracting(0..<prefix), set.incomingPrefix) else {
      return false
    }
    return set.remote == nil || areEqual(username.extracting(prefix..<username.byteCount), set.remoteFragment)
  }

  private static func areEqual(_ span: RawSpan, _ bytes: [UInt8]) -> Bool {
    guard span.byteCount == bytes.count else { return false }
    var reader = ByteReader(span)
    for byte in bytes where (try? reader.readUInt8()) != byte { return false }
    return true
  }

  /// Returns the code of the error response that an authentic request deserves, if it does.
  private mutating func refusal(of message: STUNMessage) -> Int? {
    guard message.unknownAttributes.isEmpty else { return 420 }
    guard message.priority != nil else { return 400 }
    return resolveRoleConflict(message) ? nil : 487
  }

  /// Changes our role if the peer claims the same one with the better tie-breaker (RFC 8445 §7.3.1.1).
  ///
  /// - Returns: false if it is the peer that has to change.
  private mutating func resolveRoleConflict(_ message: STUNMessage) -> Bool {
    switch role {
    case .controlling:
      guard let theirs = message.controlling else { return true }
      guard tieBreaker < theirs else { return false }
    case .controlled:
      guard let theirs = message.controlled else { return true }
      guard tieBreaker >= theirs else { return false }
    }
    switchRole()
    return true
  }

  mutating func switchRole() {
    role = role.opposite
    nominationDeadline = nil
    checklist.computePriorities(role: role)
    for index in checklist.pairs.indices {
      checklist[index].isNominatedByPeer = false
      checklist[index].isNominating = false
    }
  }

  private mutating func learn(
    _ message: STUNMessage, _ datagram: RawSpan, from remote: TransportAddress, to local: TransportAddress,
    now: MonotonicInstant
  ) {
    let priority = message.priority ?? 0
    if credentials.remote != nil {
      takeCheck(from: remote, to: local, priority: priority, useCandidate: message.useCandidate, now: now)
    } else if let range = message.username {
      remember(
        EarlyCheck(
          local: local, remote: remote, priority: priority, useCandidate: message.useCandidate,
          remoteFragment: datagram.extracting(range.lowerBound + credentials.incomingPrefix.count..<range.upperBound)
            .copiedToArray()))
    }
  }

  private mutating func remember(_ check: EarlyCheck) {
    if let known = earlyChecks.firstIndex(where: { $0.local == check.local && $0.remote == check.remote }) {
      earlyChecks[known].useCandidate = earlyChecks[known].useCandidate || check.useCandidate
    } else if earlyChecks.count < EarlyCheck.limit {
      earlyChecks.append(check)
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
