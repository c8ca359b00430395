import ICE
public import MediaCore

// MARK: - Servers, as the owner names and reaches them

extension PeerSession {
  /// Asks a STUN server, over each shared socket of its family, which address this side is seen under.
  ///
  /// What it tells becomes a candidate. Nothing keeps the address alive but ICE's own checks.
  public func askReflexiveAddress(of server: TransportAddress, now: MonotonicInstant) {
    guard phase != .ended, configuration.transportPolicy == .all else { return }
    gathering.begin(now: now)
    for base in configuration.localAddresses where base.isIPv6 == server.isIPv6 {
      gathering.ask(ReflexiveAddressQuery(of: server, base: base, crypto: dependencies.crypto, now: now))
    }
    flushQueries(now: now)
  }

  /// A connection to a TURN server is up: asks for an allocation there.
  ///
  /// ``PeerSessionEvent/relayAllocated(_:)`` follows, or ``PeerSessionEvent/relayFailed(_:_:)`` if there is none, also
  /// later on.
  ///
  /// - Parameter predecessor: a relay in whose place this one comes. It carries on until the path leads elsewhere;
  ///   ``PeerSessionEvent/relayReplaced(_:)`` tells when that is so.
  public func openRelay(
    _ link: RelayLinkID, _ server: RelayServer, after predecessor: RelayLinkID? = nil, now: MonotonicInstant
  ) {
    guard phase != .ended, relays.all.count < Relays.limit, relays[link] == nil else { return }
    gathering.begin(now: now)
    let client = TURNClient(
      username: server.username, password: server.password, isStream: server.isStream,
      wantsIPv6: agent.isPeerIPv6Only, crypto: dependencies.crypto)
    let relay = Relay(link, server, after: predecessor, client: client)
    relays.add(relay)
    relay.client.start(now: now)
    output.sendRequests(of: relay)
  }

  /// Takes what came over a connection to a TURN server: a datagram, or the next octets of a stream. May be changed in
  /// place.
  public func receive(_ octets: inout MutableRawSpan, over link: RelayLinkID, now: MonotonicInstant) {
    guard phase != .ended, let relay = relays[link] else { return }
    if relay.server.isStream {
      receiveStream(octets.bytes, relay, now: now)
    } else {
      receiveMessage(&octets, relay, now: now)
    }
    settle(relay, now: now)
  }

  /// The connection to a TURN server is gone, or did not come up.
  public func closeRelay(_ link: RelayLinkID, now: MonotonicInstant) {
    guard phase != .ended, let relay = relays[link] else { return }
    drop(relay, now: now)
  }

  /// No more servers will be named: once those named have answered or been given up, gathering is complete.
  public func endServers(now: MonotonicInstant) {
    guard phase != .ended else { return }
    gathering.endServers()
    finishGathering()
  }
}

// MARK: - What comes through a relay

extension PeerSession {
  private func receiveStream(_ octets: RawSpan, _ relay: Relay, now: MonotonicInstant) {
    var offset = 0
    do throws(TURNStreamError) {
      while phase != .ended, try relay.deframer.take(octets, from: &offset) {
        relay.deframer.withMessage { receiveMessage(&$0, relay, now: now) }
      }
    } catch {
      relay.client.fail(.malformedStream)
    }
  }

  private func receiveMessage(_ message: inout MutableRawSpan, _ relay: Relay, now: MonotonicInstant) {
    guard let data = relay.client.receive(message.bytes, now: now), let local = relay.address else { return }
    var datagram = message._mutatingExtracting(data.octets)
    take(&datagram, from: data.peer, to: local, now: now)
  }
}

// MARK: - The relayed address as a candidate

extension PeerSession {
  /// Acts on what a relay's client has come to.
  func settle(_ relay: Relay, now: MonotonicInstant) {
    guard phase != .ended else { return }
    if relay.address == nil, let address = relay.client.relayedAddress { adopt(address, of: relay, now: now) }
    guard let failure = relay.client.failure else { return output.sendRequests(of: relay) }
    drop(relay, now: now)
    events.append(.relayFailed(relay.link, failure))
  }

  private func adopt(_ address: TransportAddress, of relay: Relay, now: MonotonicInstant) {
    // A server must not make this side send through it what is meant for a socket or another relay.
    guard !agent.localCandidates.contains(where: { $0.base == address }) else {
      return relay.client.fail(.malformedAnswer)
    }
    relay.address = address
    events.append(.relayAllocated(relay.link))
    addGathered(
      .relayed(address, server: relay.server.address, localPreference: relay.server.localPreference), now: now)
    finishGathering()
    if let predecessor = relay.predecessor.flatMap({ relays[$0] }) { retire(predecessor, now: now) }
    // There was nothing to offer when the path was lost.
    if output.path == nil { wantRestart() }
    flushICE(now: now)
  }

  /// Offers a relay's address no more; a restart leads the path to another one.
  private func retire(_ relay: Relay, now: MonotonicInstant) {
    relay.isRetired = true
    agent.removeLocalCandidates(now: now) { $0.base == relay.address }
    if isPath(relay) { wantRestart() }
    releaseRetired()
  }

  /// Whether the selected path begins at the relay.
  private func isPath(_ relay: Relay) -> Bool {
    guard let address = relay.address else { return false }
    return output.path?.local == address
  }

  /// Gives back those that are retired and carry nothing.
  func releaseRetired() {
    for relay in relays.all where relay.isRetired && !isPath(relay) {
      relay.client.release()
      output.sendRequests(of: relay)
      relays.remove(relay)
      events.append(.relayReplaced(relay.link))
    }
  }

  /// Takes the relay's address back; another path is looked for if it was in use.
  private func drop(_ relay: Relay, now: MonotonicInstant) {
    relays.remove(relay)
    finishGathering()
    guard let address = relay.address else { return }
    agent.removeLocalCandidate(address, now: now)
    if output.path?.local == address {
      output.path = nil
      if !agent.hasPairs { wantRestart() }
    }
    flushICE(now: now)
  }

  /// Asks the server whether it still knows the relay that the silent path begins at: it may have been started anew.
  func verifyRelay(now: MonotonicInstant) {
    guard let relay = output.path.flatMap({ relays.relay(at: $0.local) }) else { return }
    relay.client.verify(now: now)
    output.sendRequests(of: relay)
  }

  /// Has servers let the peer's addresses through with which their relayed ones are paired, before checks go there.
  func permitPeers(now: MonotonicInstant) {
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
  func releaseRelays() {
    for relay in relays.all {
      relay.client.release()
      output.sendRequests(of: relay)
    }
    relays.removeAll()
  }
}
