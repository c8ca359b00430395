import ICE
import MediaCore
import TransportCrypto

/// The results of gathering; the transport drains ``CandidateGatherer/takeEvent()``.
enum GatheringEvent {
  /// A candidate is to be signalled to the peer.
  case gathered(ICECandidate)
  /// There will be no more (RFC 8838 §13).
  case complete
  case relayAllocated(TURNConnectionID)
  /// Another relay has taken the place of this one, which was given back.
  case relayReplaced(TURNConnectionID)
  case relayFailed(TURNConnectionID, TURNFailure)
  /// Another path should be searched for: the one in use begins at a relay that is gone or retired, or there is none
  /// yet.
  case pathWanted
}

/// Gathers this side's candidates (RFC 8445 §5.1.1): the addresses of the shared sockets, how STUN servers see them,
/// and those that TURN servers relay.
///
/// It owns the relays, and reads the path in use from the ``DatagramOutput``, which it shares with its transport.
final class CandidateGatherer {
  private var hosts: SharedSocketAddresses
  private var gathering: Gathering
  private let relays: TURNAllocations
  private let output: DatagramOutput
  private let crypto: any CryptoPrimitives
  private var events: [GatheringEvent] = []

  /// - Parameters:
  ///   - namesServers: there is more to gather than the addresses of `hosts`.
  ///   - relays: those that `output` sends through.
  init(
    hosts: SharedSocketAddresses, namesServers: Bool, relays: TURNAllocations, output: DatagramOutput,
    crypto: any CryptoPrimitives
  ) {
    self.hosts = hosts
    gathering = Gathering(isComplete: !namesServers)
    self.relays = relays
    self.output = output
    self.crypto = crypto
  }

  /// Whether all candidates have been reported.
  var isComplete: Bool { gathering.isComplete }

  /// Whether the shared sockets may be used for this peer.
  var usesSockets: Bool { hosts.policy == .all }

  /// Whether a relay waits for the path to lead elsewhere, so that it can be given back.
  var hasRetiredRelay: Bool { relays.hasRetired }

  /// When to call ``handleTimeout(_:now:)``.
  var deadline: MonotonicInstant { min(relays.deadline, gathering.deadline) }

  func takeEvent() -> GatheringEvent? { events.isEmpty ? nil : events.removeFirst() }

  /// Does due work with servers.
  func handleTimeout(_ agent: inout ICEAgent, now: MonotonicInstant) {
    if gathering.deadline <= now {
      gathering.handleTimeout(now: now)
      flushQueries(&agent, now: now)
    }
    guard relays.deadline <= now else { return }
    for relay in relays.all where relay.client.deadline <= now {
      relay.client.handleTimeout(now: now)
      follow(relay, &agent, now: now)
    }
  }

  /// Reports a candidate, also to the agent, unless the end has been reported: then the peer learns it from checks.
  private func add(_ candidate: ICECandidate, to agent: inout ICEAgent, now: MonotonicInstant) {
    agent.addLocalCandidate(candidate, now: now)
    guard agent.localCandidates.contains(candidate), !gathering.isComplete else { return }
    gathering.noteReportedCandidate()
    events.append(.gathered(candidate))
  }

  /// Reports the end of candidates when it has come.
  private func finish() {
    if gathering.finish(isAllocating: relays.isAllocating) { events.append(.complete) }
  }

  /// No more servers will be named: once those named have answered or been given up, gathering is complete.
  func endServers() {
    gathering.endServers()
    finish()
  }
}

// MARK: - Host candidates

extension CandidateGatherer {
  /// Makes candidates of the addresses that have none; returns those.
  @discardableResult
  func addHosts(to agent: inout ICEAgent, now: MonotonicInstant) -> [ICECandidate] {
    let new = hosts.candidates.filter { candidate in
      !agent.localCandidates.contains { $0.kind == .host && $0.address == candidate.address }
    }
    for candidate in new { agent.addLocalCandidate(candidate, now: now) }
    return new
  }

  /// Takes the addresses that the shared sockets have now; false when that changes no candidate.
  func changeHosts(_ addresses: [TransportAddress], _ agent: inout ICEAgent, now: MonotonicInstant) -> Bool {
    let known = Set(hosts.list)
    guard Set(addresses) != known else { return false }
    hosts.list = addresses
    guard usesSockets else { return false }
    gathering.removeQueries { !addresses.contains($0) }
    agent.removeLocalCandidates(now: now) { !addresses.contains($0.base) && known.contains($0.base) }
    events += addHosts(to: &agent, now: now).map(GatheringEvent.gathered)
    finish()
    return true
  }
}

// MARK: - Server-reflexive candidates

extension CandidateGatherer {
  /// Asks a STUN server, over each shared socket of its family, which address this side is seen under.
  func askReflexiveAddress(of server: TransportAddress, _ agent: inout ICEAgent, now: MonotonicInstant) {
    guard usesSockets else { return }
    gathering.begin(now: now)
    for base in hosts.list where base.isIPv6 == server.isIPv6 {
      gathering.ask(ReflexiveAddressQuery(of: server, base: base, crypto: crypto, now: now))
    }
    flushQueries(&agent, now: now)
  }

  /// Takes the answer of a STUN server; false for everything else.
  func takeReflexiveAnswer(
    _ datagram: RawSpan, from remote: TransportAddress, to local: TransportAddress, _ agent: inout ICEAgent,
    now: MonotonicInstant
  ) -> Bool {
    guard !gathering.queries.isEmpty, gathering.receive(datagram, from: remote, to: local) else { return false }
    flushQueries(&agent, now: now)
    return true
  }

  /// Sends due queries, and processes answered ones.
  private func flushQueries(_ agent: inout ICEAgent, now: MonotonicInstant) {
    output.sendPlain { gathering.takeTransmit(into: &$0) }
    while let query = gathering.takeFinished() {
      if case .answered(let address) = query.state { addReflexive(address, query, &agent, now: now) }
    }
    finish()
  }

  /// An address that is known already, for instance because there is no NAT, makes no candidate (RFC 8445 §5.1.3).
  private func addReflexive(
    _ address: TransportAddress, _ query: ReflexiveAddressQuery, _ agent: inout ICEAgent, now: MonotonicInstant
  ) {
    guard !agent.localCandidates.contains(where: { $0.address == address }) else { return }
    add(
      .serverReflexive(
        address, base: query.base, server: query.server, localPreference: hosts.localPreference(of: query.base)),
      to: &agent, now: now)
  }
}

// MARK: - Relayed candidates

extension CandidateGatherer {
  /// A connection to a TURN server is up: requests an allocation there.
  ///
  /// - Parameter predecessor: a relay in whose place this one comes. It carries on until the path leads elsewhere.
  func openRelay(
    _ link: TURNConnectionID, _ server: TURNServerEndpoint, after predecessor: TURNConnectionID?, wantsIPv6: Bool,
    now: MonotonicInstant
  ) {
    guard relays.all.count < TURNAllocations.limit, relays[link] == nil else { return }
    gathering.begin(now: now)
    let client = TURNClient(
      username: server.username, password: server.password, isStream: server.isStream, wantsIPv6: wantsIPv6,
      crypto: crypto)
    let relay = TURNAllocation(link, server, after: predecessor, client: client)
    relays.add(relay)
    relay.client.start(now: now)
    output.sendRequests(of: relay)
  }

  func relay(_ link: TURNConnectionID) -> TURNAllocation? { relays[link] }

  /// The connection to a TURN server is gone, or did not come up.
  func closeRelay(_ link: TURNConnectionID, _ agent: inout ICEAgent, now: MonotonicInstant) {
    if let relay = relays[link] { drop(relay, &agent, now: now) }
  }

  /// Acts on the state that a relay's client has reached.
  func follow(_ relay: TURNAllocation, _ agent: inout ICEAgent, now: MonotonicInstant) {
    if relay.address == nil, let address = relay.client.relayedAddress { adopt(address, of: relay, &agent, now: now) }
    guard let failure = relay.client.failure else { return output.sendRequests(of: relay) }
    drop(relay, &agent, now: now)
    events.append(.relayFailed(relay.link, failure))
  }

  private func adopt(
    _ address: TransportAddress, of relay: TURNAllocation, _ agent: inout ICEAgent, now: MonotonicInstant
  ) {
    // A server must not divert datagrams meant for a socket or another relay.
    guard !agent.localCandidates.contains(where: { $0.base == address }) else {
      return relay.client.fail(.malformedAnswer)
    }
    relay.address = address
    events.append(.relayAllocated(relay.link))
    add(
      .relayed(address, server: relay.server.address, localPreference: relay.server.localPreference), to: &agent,
      now: now)
    finish()
    if let predecessor = relay.predecessor.flatMap({ relays[$0] }) { retire(predecessor, &agent, now: now) }
    // There was nothing to offer when the path was lost.
    if output.path == nil { events.append(.pathWanted) }
  }

  /// No longer offers a relay's address; a restart moves the path to another one.
  private func retire(_ relay: TURNAllocation, _ agent: inout ICEAgent, now: MonotonicInstant) {
    relay.isRetired = true
    agent.removeLocalCandidates(now: now) { $0.base == relay.address }
    if isPath(relay) { events.append(.pathWanted) }
    releaseRetired()
  }

  /// Withdraws the relay's address; another path is searched for if it was in use.
  private func drop(_ relay: TURNAllocation, _ agent: inout ICEAgent, now: MonotonicInstant) {
    relays.remove(relay)
    finish()
    guard let address = relay.address else { return }
    agent.removeLocalCandidate(address, now: now)
    guard isPath(relay) else { return }
    output.path = nil
    if !agent.hasPairs { events.append(.pathWanted) }
  }

  /// Whether the selected path begins at the relay.
  private func isPath(_ relay: TURNAllocation) -> Bool {
    guard let address = relay.address else { return false }
    return output.path?.local == address
  }

  /// Releases retired relays that carry nothing.
  func releaseRetired() {
    for relay in relays.all where relay.isRetired && !isPath(relay) {
      relay.client.release()
      output.sendRequests(of: relay)
      relays.remove(relay)
      events.append(.relayReplaced(relay.link))
    }
  }

  /// Asks the server whether it still knows the relay that the silent path begins at: it may have been restarted.
  func verifyRelay(now: MonotonicInstant) {
    guard let relay = output.path.flatMap({ relays.relay(at: $0.local) }) else { return }
    relay.client.verify(now: now)
    output.sendRequests(of: relay)
  }

  /// Has servers let the peer's addresses through with which their relayed ones are paired, before checks go there.
  func permitPeers(of agent: ICEAgent, now: MonotonicInstant) {
    guard !relays.all.isEmpty, relays.permittedPairCount != agent.pairCount else { return }
    relays.permittedPairCount = agent.pairCount
    for relay in relays.all {
      guard let local = relay.address else { continue }
      agent.forEachRemote(pairedWith: local) { relay.client.permit($0, now: now) }
      output.sendRequests(of: relay)
    }
  }

  /// Shortens what the selected path carries from 36 octets more to 4.
  func bindChannel(for pair: ICESelectedPair, now: MonotonicInstant) {
    guard let relay = relays.relay(at: pair.local) else { return }
    relay.client.bindChannel(to: pair.remote, now: now)
    output.sendRequests(of: relay)
  }

  /// Gives the allocations back.
  func releaseAll() {
    for relay in relays.all {
      relay.client.release()
      output.sendRequests(of: relay)
    }
    relays.removeAll()
  }
}
