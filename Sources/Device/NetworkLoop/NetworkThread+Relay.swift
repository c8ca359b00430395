import ICE
import MediaCore
import PeerSession
import RealtimeRuntime

/// The network thread's side of STUN and TURN servers: names are looked up, links opened, watched and closed.
extension NetworkThread {
  // MARK: Servers

  /// Takes the servers of a session; those that are unusable are told and passed over.
  func open(_ descriptions: [ICEServerDescription], for running: RunningSession, now: MonotonicInstant) {
    let added = running.servers.list.add(descriptions)
    for refusal in added.refusals { tell(refusal, running) }
    if isRelayOnly, running.servers.list.relays.isEmpty { tell("\(NetworkLoopError.noRelay)", running) }
    for reflector in added.reflectors where !isRelayOnly { open(reflector, for: running, now: now) }
    for relay in added.relays { open(relay, for: running, now: now) }
    running.servers.areNamed = true
    endServers(running, now: now)
  }

  var isRelayOnly: Bool { start.configuration.transportPolicy == .relay }

  /// Refuses a call for which there can be no path.
  func requireRelay(_ command: OpenCommand) throws(NetworkLoopError) {
    guard isRelayOnly, command.offer != nil else { return }
    var list = ICEServerList()
    if list.add(command.servers).relays.isEmpty { throw .noRelay }
  }

  func open(_ reflector: ICEServerURL, for running: RunningSession, now: MonotonicInstant) {
    if let address = reflector.address { return running.session.askReflexiveAddress(of: address, now: now) }
    running.servers.pendingCount += 1
    lookUp(reflector, .reflector(reflector), for: running, now: now)
  }

  /// - Parameter predecessor: a link that goes on until the new one serves.
  func open(
    _ relay: ICEServerList.Relay, after failures: RelayFailures = RelayFailures(), _ predecessor: RelayLinkID? = nil,
    for running: RunningSession, now: MonotonicInstant
  ) {
    let link = relays.makeLink(to: relay, after: failures, for: running, tls: start.tls)
    link.predecessor = predecessor
    running.servers.pendingCount += 1
    running.servers.areEnded = false
    guard let address = relay.url.address else {
      return lookUp(relay.url, .relay(link), for: running, now: now)
    }
    link.connect(to: [address], now: now)
    settle(link, now: now)
  }

  /// Tells the session, once, when all its servers are asked or given up.
  func endServers(_ running: RunningSession, now: MonotonicInstant) {
    guard running.servers.areNamed, running.servers.pendingCount == 0, !running.servers.areEnded else { return }
    running.servers.areEnded = true
    running.session.endServers(now: now)
  }

  /// A server is asked or given up.
  func finishOne(_ running: RunningSession, now: MonotonicInstant) {
    running.servers.pendingCount -= 1
    endServers(running, now: now)
  }

  func tell(_ text: String, _ running: RunningSession) {
    start.notices.yield(.server(sessionID: running.sessionID, reason: text))
  }

  // MARK: Names

  private func lookUp(
    _ url: ICEServerURL, _ purpose: RelayLinks.Lookup.Purpose, for running: RunningSession, now: MonotonicInstant
  ) {
    let id = relays.beginLookup(purpose, for: running, now: now)
    guard !start.resolver.resolve(url.host, port: url.port, id: id) else { return }
    finishLookup(NameResolution(id: id, result: .failure(.busy)), now: now)
  }

  /// Goes on with a server whose name has been looked up; what comes too late finds nothing.
  func finishLookup(_ resolution: NameResolution, now: MonotonicInstant) {
    guard let lookup = relays.endLookup(resolution.id) else { return }
    switch (lookup.purpose, resolution.result) {
    case (.reflector, .success(let addresses)):
      for address in addresses.firstOfEachFamily { lookup.running.session.askReflexiveAddress(of: address, now: now) }
      finishOne(lookup.running, now: now)
    case (.reflector(let url), .failure(let error)):
      tell("\(url): \(error)", lookup.running)
      finishOne(lookup.running, now: now)
    case (.relay(let link), .success(let addresses)):
      link.connect(to: addresses, now: now)
      settle(link, now: now)
    case (.relay(let link), .failure(let error)):
      link.fail("\(error)")
      settle(link, now: now)
    }
  }

  // MARK: Links

  /// A link's socket can be read or written.
  func handleLink(token: UInt64) {
    guard let link = relays[RelayLinkID(rawValue: UInt32(truncatingIfNeeded: token))],
      let running = relays.owner(of: link)
    else { return }
    let now = MonotonicClock.now()
    link.handleReady(relays.buffer, now: now) { running.session.receive(&$0, over: link.id, now: now) }
    settle(link, now: now)
  }

  /// Does what is due, and closes links that broke while sessions sent over them.
  func runRelays() {
    let now = MonotonicClock.now()
    for (id, lookup) in relays.lookups where lookup.deadline <= now {
      finishLookup(NameResolution(id: id, result: .failure(.late)), now: now)
    }
    for link in relays.all {
      link.handleTimeout(now: now)
      settle(link, now: now)
    }
    for retry in relays.takeRetries(now: now) {
      open(retry.server, after: retry.failures, for: retry.running, now: now)
    }
    releaseLateAnswers(now: now)
  }

  var relayDeadline: MonotonicInstant {
    relays.holding.reduce(relays.deadline) { min($0, $1.servers.heldAnswer?.deadline ?? .distantFuture) }
  }

  /// Closes the links of a session that is over.
  func remove(_ running: RunningSession) {
    takeHeldAnswer(of: running)?.reply(.failure(NetworkLoopError.ended))
    for link in relays.removeAll(of: running) where link.droppedCount > 0 {
      tell("relay \(link.server.url): \(link.droppedCount) packets were left out: the way there was too slow", running)
    }
    table.remove(running)
  }

  private func settle(_ link: RelayLink, now: MonotonicInstant) {
    switch link.state {
    case .lookingUp: return
    case .connecting, .securing: watch(link)
    case .open:
      watch(link)
      announce(link, now: now)
    case .failed(let reason): close(link, reason, now: now)
    }
  }

  private func announce(_ link: RelayLink, now: MonotonicInstant) {
    guard !link.isAnnounced, let address = link.address, let running = relays.owner(of: link) else { return }
    link.isAnnounced = true
    let server = RelayServer(
      address: address, isStream: link.isStream, isSecure: link.server.url.transport == .tls,
      username: link.server.username, password: link.server.password)
    running.session.openRelay(link.id, server, after: link.predecessor, now: now)
    finishOne(running, now: now)
    // What the session has just sent may wait, or have shown that nobody is there.
    settle(link, now: now)
  }

  private func close(_ link: RelayLink, _ reason: String, now: MonotonicInstant) {
    guard let running = relays.owner(of: link) else { return }
    drop(link, of: running, now: now)
    tryLater(link, reason, for: running, now: now)
  }

  /// Closes a link of which nothing is expected any more.
  private func drop(_ link: RelayLink, of running: RunningSession, now: MonotonicInstant) {
    relays.remove(link)
    leave(link, of: running, now: now)
  }

  /// Has the session do without a link that is closed.
  func leave(_ link: RelayLink, of running: RunningSession, now: MonotonicInstant) {
    running.session.closeRelay(link.id, now: now)
    if !link.isAnnounced { finishOne(running, now: now) }
  }

  /// Has epoll watch what the link waits for.
  private func watch(_ link: RelayLink) {
    guard let socket = link.socket, link.watched != link.wantsOutput else { return }
    let token = Token.firstLink | UInt64(link.id.rawValue)
    do throws(SystemCallError) {
      if link.watched == nil { try epoll.add(socket.fileDescriptor, token: token) }
      try epoll.watchOutput(of: socket.fileDescriptor, token: token, link.wantsOutput)
      link.watched = link.wantsOutput
    } catch {
      link.fail("\(error)")
      settle(link, now: MonotonicClock.now())
    }
  }
}

// MARK: - Answers that wait for candidates

extension NetworkThread {
  /// Replies with the session's description: at once, or when its candidates are known if the peer cannot be told them
  /// later.
  func deliverDescription(of running: RunningSession, _ command: OpenCommand, now: MonotonicInstant) {
    let description = LocalDescription(of: running.session)
    guard command.offer != nil, !command.servers.isEmpty, NonTrickleAnswer.isNeeded(for: description.sdp) else {
      return command.reply(.success(description))
    }
    running.servers.heldAnswer = NonTrickleAnswer(now: now, reply: command.reply)
    relays.holding.append(running)
  }

  /// Acts on what concerns the thread alone; returns false for what control has to hear.
  func handleHere(_ event: PeerSessionEvent, of running: RunningSession) -> Bool {
    switch event {
    case .candidateGathered(let candidate) where running.servers.heldAnswer != nil:
      // The answer that waits contains it.
      if candidate.isEmpty { releaseAnswer(of: running) }
      return true
    case .relayAllocated(let id):
      if let link = relays[id] { noteService(of: link, for: running, now: MonotonicClock.now()) }
      return true
    case .relayReplaced(let id):
      if let link = relays[id] { relays.remove(link) }
      return true
    case .relayFailed(let id, let failure):
      if let link = relays[id] { giveUp(link, failure, for: running, now: MonotonicClock.now()) }
      return true
    default: return false
    }
  }

  private func releaseLateAnswers(now: MonotonicInstant) {
    for running in relays.holding where running.servers.heldAnswer.map({ $0.deadline <= now }) == true {
      releaseAnswer(of: running)
    }
  }

  private func releaseAnswer(of running: RunningSession) {
    takeHeldAnswer(of: running)?.reply(.success(LocalDescription(of: running.session)))
  }

  private func takeHeldAnswer(of running: RunningSession) -> NonTrickleAnswer? {
    relays.holding.removeAll { $0 === running }
    return running.servers.heldAnswer.take()
  }
}

extension [TransportAddress] {
  fileprivate var firstOfEachFamily: [TransportAddress] {
    [first { !$0.isIPv6 }, first { $0.isIPv6 }].compactMap { $0 }
  }
}
