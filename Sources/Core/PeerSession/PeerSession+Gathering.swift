import ICE
import MediaCore
import SDP

// MARK: - What servers tell of this side's addresses

extension PeerSession {
  /// Does what is due with servers.
  func handleServerTimeouts(now: MonotonicInstant) {
    if gathering.deadline <= now {
      gathering.handleTimeout(now: now)
      flushQueries(now: now)
      finishGathering()
    }
    guard relays.deadline <= now else { return }
    for relay in relays.all where relay.client.deadline <= now {
      relay.client.handleTimeout(now: now)
      settle(relay, now: now)
    }
  }

  /// Sends the questions that are due, and takes up those that are answered.
  func flushQueries(now: MonotonicInstant) {
    while output.sendPlain({ gathering.takeTransmit(into: &$0) }) != nil {}
    while let query = gathering.takeFinished() {
      if case .answered(let address) = query.state { addReflexive(address, query, now: now) }
    }
    finishGathering()
  }

  /// Takes the answer of a STUN server; false for everything else.
  func takeReflexiveAnswer(
    _ datagram: RawSpan, from remote: TransportAddress, to local: TransportAddress, now: MonotonicInstant
  ) -> Bool {
    guard !gathering.queries.isEmpty, gathering.receive(datagram, from: remote, to: local) else { return false }
    flushQueries(now: now)
    return true
  }

  /// An address that is known already, for instance because there is no NAT, makes no candidate (RFC 8445 §5.1.3).
  private func addReflexive(_ address: TransportAddress, _ query: ReflexiveAddressQuery, now: MonotonicInstant) {
    guard !agent.localCandidates.contains(where: { $0.address == address }) else { return }
    let index = configuration.localAddresses.firstIndex(of: query.base) ?? 0
    addGathered(
      .serverReflexive(
        address, base: query.base, server: query.server, localPreference: configuration.localPreference(index)),
      now: now)
  }

  /// Uses a candidate, and tells it unless the end has been told already: then the peer learns it from checks.
  func addGathered(_ candidate: ICECandidate, now: MonotonicInstant) {
    agent.addLocalCandidate(candidate, now: now)
    guard agent.localCandidates.contains(candidate), !gathering.isComplete else { return }
    gathering.noteToldCandidate()
    events.append(.candidateGathered("\(Candidate(local: candidate))"))
  }

  /// Tells the end of candidates when it has come.
  func finishGathering() {
    guard gathering.finish(isAllocating: relays.isAllocating) else { return }
    events.append(.candidateGathered(""))
  }
}
