public import MediaCore
import ICE
import SDP

extension PeerSession {
  /// Tells which addresses the shared sockets have now, best first.
  ///
  /// New ones become candidates, which ``PeerSessionEvent/candidateGathered(_:)`` tells; those that are gone are no longer
  /// tried. A connected session reports ``PeerSessionEvent/restartNeeded``: only a restart tells the peer what is gone.
  public func changeLocalAddresses(_ addresses: [TransportAddress], now: MonotonicInstant) {
    let known = Set(configuration.localAddresses)
    guard phase != .ended, Set(addresses) != known else { return }
    configuration.localAddresses = addresses
    agent.removeLocalCandidates(now: now) { !addresses.contains($0.base) && known.contains($0.base) }
    for candidate in addHostCandidates(now: now) {
      events.append(.candidateGathered("\(Candidate(local: candidate))"))
    }
    flushICE(now: now)
    wantRestart()
  }

  /// Makes candidates of the addresses that have none; returns those.
  @discardableResult
  func addHostCandidates(now: MonotonicInstant) -> [ICECandidate] {
    let new = ICECandidate.hosts(configuration.localAddresses).filter { candidate in
      !agent.localCandidates.contains { $0.kind == .host && $0.address == candidate.address }
    }
    for candidate in new { agent.addLocalCandidate(candidate, now: now) }
    return new
  }

  /// Has an offer made that restarts ICE, unless one waits or a restart is under way.
  func wantRestart() {
    guard phase == .connected, negotiation.pending == nil, !agent.isChecking else { return }
    events.append(.restartNeeded)
  }
}
