public import Signalling

/// What operators see of the hub as a whole.
extension HubState {
  /// Which of these users a call can reach.
  public func online(_ userIDs: [String]) -> Set<String> {
    Set(userIDs.filter { directory[$0]?.isReachable == true })
  }

  public func ongoingCalls(now: Instant) -> [OngoingCall] {
    sessions.live.compactMap { OngoingCall($0, now: now) }.sorted { ($1.age, $0.id) < ($0.age, $1.id) }
  }

  public func ongoingCall(_ sessionID: SessionID, now: Instant) -> OngoingCall? {
    sessions[sessionID].flatMap { OngoingCall($0, now: now) }
  }

  public mutating func endCall(_ sessionID: SessionID, now: Instant) {
    publish(sessions.end(sessionID, reason: .hangup, now: now), now: now)
  }
}
