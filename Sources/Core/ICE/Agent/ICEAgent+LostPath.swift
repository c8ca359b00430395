import MediaCore

extension ICEAgent {
  /// The selected path cannot be used any more: looks for another one.
  mutating func leaveLostPath(now: MonotonicInstant) {
    let wasConnected = phase == .connected
    selected = nil
    previousCredentials = nil
    guard wasConnected else { return }
    phase = .disconnected(deadline: now + configuration.connectTimeout)
    checklist.recheckAll()
  }

  /// As controlled side that has lost its path: sends where the peer answers, and does not wait for a nomination, since
  /// the peer may not know yet (RFC 8445 §12.1.1).
  mutating func takeAnsweringPath(now: MonotonicInstant) {
    guard role == .controlled, case .disconnected = phase, selected == nil,
      let best = checklist.best(where: { $0.isFresh(now, configuration) })
    else { return }
    select(best, now: now)
  }
}
