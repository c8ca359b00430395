import MediaCore
import PeerSession

/// Finds whose each datagram is that comes to a shared socket; those of anonymous make no state.
extension PeerSessionTable {
  /// Hands a datagram, which may be changed in place, to the session that it is for.
  mutating func receive(
    _ datagram: inout MutableRawSpan, from source: TransportAddress, to target: TransportAddress, now: MonotonicInstant
  ) {
    if let username = PeerSession.usernameFragment(addressedBy: datagram.bytes) {
      guard let running = session(username: username) else { return }
      if running.session.receive(&datagram, from: source, to: target, now: now) { associate(source, with: running) }
    } else if let running = session(at: source) {
      running.session.receive(&datagram, from: source, to: target, now: now)
      listSources(of: running)
    } else if PeerSession.isCheckResponse(datagram.bytes) {
      receiveCheckResponse(&datagram, from: source, to: target, now: now)
    } else if let running = session(claimedBy: datagram.bytes) {
      receiveStray(&datagram, of: running, from: source, to: target, now: now)
    }
  }

  /// A response names no session, only a transaction: the session that started it recognises it.
  private mutating func receiveCheckResponse(
    _ datagram: inout MutableRawSpan, from source: TransportAddress, to target: TransportAddress, now: MonotonicInstant
  ) {
    for running in all where running.session.receive(&datagram, from: source, to: target, now: now) {
      associate(source, with: running)
      return
    }
  }

  /// A peer that has moved continues to send before it checks the new path; only what proves authentic makes a
  /// difference.
  private mutating func receiveStray(
    _ datagram: inout MutableRawSpan, of running: RunningSession, from source: TransportAddress,
    to target: TransportAddress, now: MonotonicInstant
  ) {
    guard running.strays.admits(now: now) else { return }
    if running.session.receive(&datagram, from: source, to: target, now: now) {
      associate(source, with: running)
    } else {
      running.strays.noteFailure()
    }
  }
}
