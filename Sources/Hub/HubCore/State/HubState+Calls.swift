public import Signalling

/// What a call needs to be placed: the parties as the hub knows them.
public struct CallContext: Sendable {
  public var receiver: Principal
  public var callerRole: SessionRole
  public var receiverRole: SessionRole
  public var distance: Double?
}

extension HubState {
  /// Whether `caller` may call now, and what the tokens should say: the same for the same request. Counts as one call.
  public mutating func prepareCall(
    _ sessionID: SessionID, from caller: Principal, _ request: SessionRequest, now: Instant
  ) throws(HubRefusal) -> CallContext {
    try MessageSizes.check(description: request.offer, field: "offer")
    if let wait = callLimiter.take(caller.userID, now: now) {
      counters.callsRefused += 1
      throw .tooMany("calls", retryAfter: wait)
    }
    guard request.receiverID != caller.userID else { throw .notAllowed("one cannot call oneself") }
    guard let receiver = directory[request.receiverID], receiver.principal.sharesGroup(with: caller),
      logs.isReachable(request.receiverID, now: now, grace: limits.resumeWindow)
    else {
      counters.callsRefused += 1
      throw .receiverOffline
    }
    let known = try sessions.known(sessionID, request, from: caller)
    return CallContext(
      receiver: receiver.principal, callerRole: known?.callerRole ?? callerRole(caller, request),
      receiverRole: known?.receiverRole ?? (receiver.principal.role == .operator ? .moderator : .publisher),
      distance: distance(from: caller.userID, to: receiver))
  }

  /// Places a prepared call; repeating the request is harmless.
  public mutating func placeCall(_ placement: CallPlacement, now: Instant) throws(HubRefusal) {
    logs.expect(placement.caller, now: now)
    let deliveries = try sessions.place(placement, now: now)
    counters.callsPlaced += deliveries.isEmpty ? 0 : 1
    publish(deliveries, now: now)
  }

  /// Takes what a party says about a session, and tells the other one.
  public mutating func receive(
    _ message: SessionMessage, in sessionID: SessionID, from sender: Principal, now: Instant
  ) throws(HubRefusal) {
    let userID = sender.userID
    switch message {
    case .ringing: try ring(sessionID, by: userID, now: now)
    case .answer(let answer): try self.answer(sessionID, by: userID, answer, now: now)
    case .reject(let ending): try reject(sessionID, by: userID, reason: ending.reason, now: now)
    case .offer(let offer): try self.offer(sessionID, by: userID, sdp: offer.sdp, now: now)
    case .candidates(let candidates): try addCandidates(sessionID, by: userID, candidates, now: now)
    case .signal(let signal): try self.signal(sessionID, by: userID, signal, now: now)
    case .control(let control): try self.control(sessionID, by: userID, control, now: now)
    case .controlResult(let result): try controlResult(sessionID, by: userID, result, now: now)
    case .archive(let archive):
      guard archive.sessionID == sessionID else { throw .invalid(field: "sessionID", reason: "is not the path's") }
      try announceArchive(archive, by: sender, now: now)
    case .end(let ending):
      try hangUp(sessionID, by: userID, reason: ending?.reason ?? EndReason.hangup.rawValue, now: now)
    }
  }

  mutating func ring(_ sessionID: SessionID, by userID: String, now: Instant) throws(HubRefusal) {
    try apply(sessionID, by: userID, now: now) { (session, party) throws(HubRefusal) in try session.ring(by: party) }
  }

  mutating func answer(
    _ sessionID: SessionID, by userID: String, _ answer: SessionDescription, now: Instant
  ) throws(HubRefusal) {
    try MessageSizes.check(description: answer.sdp, field: "sdp")
    try apply(sessionID, by: userID, now: now) { (session, party) throws(HubRefusal) in
      try session.answer(by: party, answer)
    }
  }

  mutating func reject(
    _ sessionID: SessionID, by userID: String, reason: String, now: Instant
  ) throws(HubRefusal) {
    try check(reason: reason)
    try apply(sessionID, by: userID, now: now) { (session, party) throws(HubRefusal) in
      try session.reject(by: party, reason: reason, now: now)
    }
  }

  mutating func offer(_ sessionID: SessionID, by userID: String, sdp: String, now: Instant) throws(HubRefusal) {
    try MessageSizes.check(description: sdp, field: "sdp")
    try apply(sessionID, by: userID, now: now) { (session, party) throws(HubRefusal) in
      try session.offer(by: party, sdp: sdp)
    }
  }

  mutating func addCandidates(
    _ sessionID: SessionID, by userID: String, _ message: SessionCandidates, now: Instant
  ) throws(HubRefusal) {
    try MessageSizes.check(message.candidates, atMost: limits.candidatesPerMessage)
    try apply(sessionID, by: userID, now: now) { (session, party) throws(HubRefusal) in
      try session.candidates(by: party, message.candidates)
    }
  }

  mutating func signal(
    _ sessionID: SessionID, by userID: String, _ signal: SessionSignal, now: Instant
  ) throws(HubRefusal) {
    try MessageSizes.check("type", signal.type, atMost: MessageLimits.signalType)
    try MessageSizes.check("data", signal.data, atMost: MessageLimits.signalData)
    try apply(sessionID, by: userID, now: now) { (session, party) throws(HubRefusal) in
      try session.signal(by: party, signal)
    }
  }

  mutating func control(
    _ sessionID: SessionID, by userID: String, _ control: SessionControl, now: Instant
  ) throws(HubRefusal) {
    try MessageSizes.check("action", control.action, atMost: MessageLimits.word)
    try MessageSizes.check("target", control.target, atMost: MessageLimits.word)
    try apply(sessionID, by: userID, now: now) { (session, party) throws(HubRefusal) in
      try session.control(by: party, control)
    }
  }

  mutating func controlResult(
    _ sessionID: SessionID, by userID: String, _ result: SessionControlResult, now: Instant
  ) throws(HubRefusal) {
    try MessageSizes.check(result)
    try apply(sessionID, by: userID, now: now) { (session, party) throws(HubRefusal) in
      try session.controlResult(by: party, result)
    }
  }

  mutating func announceArchive(
    _ archive: ArchiveAnnouncement, by principal: Principal, now: Instant
  ) throws(HubRefusal) {
    guard principal.role == .device else { throw .notAllowed("only a device records") }
    guard [.started, .stopped].contains(archive.status) else {
      throw .invalid(field: "status", reason: "must be started or stopped")
    }
    try apply(archive.sessionID, by: principal.userID, now: now) { (session, party) throws(HubRefusal) in
      session.archive(by: party, archive)
    }
  }

  mutating func hangUp(
    _ sessionID: SessionID, by userID: String, reason: String, now: Instant
  ) throws(HubRefusal) {
    try check(reason: reason)
    try apply(sessionID, by: userID, now: now) { (session, party) throws(HubRefusal) in
      session.hangUp(by: party, reason: reason, now: now)
    }
  }

  // MARK: Parts

  private mutating func apply(
    _ sessionID: SessionID, by userID: String, now: Instant,
    _ event: (inout CallSession, Party) throws(HubRefusal) -> [Delivery]
  ) throws(HubRefusal) {
    if let wait = messageLimiter.take(userID, now: now) { throw .tooMany("messages", retryAfter: wait) }
    publish(try sessions.apply(to: sessionID, by: userID, event), now: now)
  }

  /// Reasons are words of a growing list, not texts.
  private func check(reason: String) throws(HubRefusal) {
    let isWord = reason.utf8.allSatisfy {
      $0 == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
    }
    guard isWord, (1...32).contains(reason.utf8.count) else {
      throw .invalid(field: "reason", reason: "must be a word of lower-case letters and dashes")
    }
  }

  /// Somebody who asks for neither sound nor picture both ways only receives.
  private func callerRole(_ caller: Principal, _ request: SessionRequest) -> SessionRole {
    if caller.role == .operator { return .moderator }
    return request.isAudio || request.isVideo ? .publisher : .subscriber
  }

  private func distance(from callerID: String, to receiver: PresenceEntry) -> Double? {
    guard let origin = directory[callerID]?.location, let destination = receiver.location else { return nil }
    return origin.distance(to: destination)
  }
}
