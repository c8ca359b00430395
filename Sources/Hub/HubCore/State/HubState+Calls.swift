public import Signalling

extension HubState {
  /// Whether `caller` may call now, and what the tokens should say: the same for the same request. Counts as one call.
  ///
  /// - Parameter subscriber: the receiver, if it has push subscriptions.
  public mutating func prepareCall(
    _ sessionID: SessionID, from caller: Principal, _ request: SessionRequest, subscriber: Principal? = nil,
    now: Instant
  ) throws(HubRefusal) -> CallContext {
    try request.check(from: caller)
    if let wait = takeCall(of: caller, now: now) {
      counters.callsRefused += 1
      throw .tooMany("calls", retryAfter: wait)
    }
    let entry = directory[request.receiverID]
    let isPresent = logs.isReachable(request.receiverID, now: now, grace: limits.resumeWindow)
    guard let receiver = isPresent ? entry?.principal ?? subscriber : subscriber, receiver.sharesGroup(with: caller)
    else {
      counters.callsRefused += 1
      throw .receiverOffline
    }
    let known = try sessions.known(sessionID, request, from: caller)
    return CallContext(
      request, from: (caller, directory[caller.userID]?.location), to: (receiver, isPresent ? entry?.location : nil),
      ringsPhones: subscriber != nil, known: known)
  }

  private mutating func takeCall(of caller: Principal, now: Instant) -> Int? {
    caller.role == .viewer ? viewLimiter.take(caller.userID, now: now) : callLimiter.take(caller.userID, now: now)
  }

  /// Notes which of the receiver's phones ring; a call that reaches neither phone nor page ends.
  public mutating func notePhones(_ report: PhoneReport, in sessionID: SessionID, now: Instant) {
    let (deliveries, receiver) = sessions.note(report, in: sessionID)
    publish(deliveries, now: now)
    guard let receiver, !logs.isReachable(receiver, now: now, grace: limits.resumeWindow) else { return }
    publish(sessions.end(sessionID, reason: .unreachable, now: now), now: now)
  }

  /// Places a prepared call; repeating the request is harmless.
  public mutating func placeCall(_ placement: CallPlacement, now: Instant) throws(HubRefusal) {
    logs.expect(placement.caller, now: now)
    let deliveries = try sessions.place(placement, now: now)
    counters.callsPlaced += deliveries.isEmpty ? 0 : 1
    publish(deliveries, now: now)
  }

  /// Takes a party's message about a session, and forwards it to the other one.
  public mutating func receive(
    _ message: SessionMessage, in sessionID: SessionID, from sender: Principal, now: Instant
  ) throws(HubRefusal) {
    try message.check(in: sessionID, from: sender, limits: limits)
    if let wait = messageLimiter.take(sender.userID, now: now) { throw .tooMany("messages", retryAfter: wait) }
    let deliveries = try sessions.apply(to: sessionID) { session throws(HubRefusal) in
      try session.receive(message, from: sender.userID, now: now)
    }
    publish(deliveries, now: now)
  }
}
