public import MediaCore
import ICE
import SDP

extension PeerSession {
  /// Tells which addresses the shared sockets have now, best first.
  ///
  /// New ones become candidates, which ``PeerSessionEvent/candidateGathered(_:)`` tells; those that are gone are no
  /// longer tried. A connected session reports ``PeerSessionEvent/restartNeeded``: only a restart tells the peer what
  /// is gone. Under ``TransportPolicy/relay`` they are no candidates. Of servers, the owner asks anew those that it has
  /// to.
  public func changeLocalAddresses(_ addresses: [TransportAddress], now: MonotonicInstant) {
    let known = Set(configuration.localAddresses)
    guard phase != .ended, Set(addresses) != known else { return }
    configuration.localAddresses = addresses
    guard configuration.transportPolicy == .all else { return }
    gathering.removeQueries { !addresses.contains($0) }
    agent.removeLocalCandidates(now: now) { !addresses.contains($0.base) && known.contains($0.base) }
    for candidate in addHostCandidates(now: now) {
      events.append(.candidateGathered("\(Candidate(local: candidate))"))
    }
    finishGathering()
    flushICE(now: now)
    wantRestart()
  }

  /// Makes candidates of the addresses that have none; returns those.
  @discardableResult
  func addHostCandidates(now: MonotonicInstant) -> [ICECandidate] {
    let new = configuration.hostCandidates.filter { candidate in
      !agent.localCandidates.contains { $0.kind == .host && $0.address == candidate.address }
    }
    for candidate in new { agent.addLocalCandidate(candidate, now: now) }
    return new
  }

  /// Has an offer made that restarts ICE, unless one waits, a restart is under way, or there is no address to offer.
  func wantRestart() {
    guard phase == .connected, negotiation.pending == nil, !agent.isChecking, !agent.localCandidates.isEmpty else {
      return
    }
    events.append(.restartNeeded)
  }

  /// After an offer of this side that came to nothing: has another made, if there is no path, or one to be left.
  func wantRestartAgain() {
    if output.path == nil || agent.isPathInDoubt || relays.hasRetired { wantRestart() }
  }
}
