import ICE
import MediaCore
import PeerSession
import RealtimeRuntime
import TLSClient
import Signalling

/// Carries out what ``ICEServerSupervisor`` decides, and reports the results to it. Confined to the network thread.
final class ICEServerDriver {
  private var supervisor: ICEServerSupervisor
  private let links: TURNConnections
  private let buffer = TURNReceiveBuffer()
  private let resolver: NameResolver
  private let tls: TLSClient
  private let route: ProxyRoute
  private let notices: AsyncStream<NetworkNotice>.Continuation
  /// Those whose servers have been named.
  private var sessions: [SessionHandle: RunningSession] = [:]

  /// - Parameter links: where the sockets are kept, for who sends over them.
  init(
    policy: ICETransportPolicy, links: TURNConnections, resolver: NameResolver, tls: TLSClient,
    route: ProxyRoute = .direct, notices: AsyncStream<NetworkNotice>.Continuation
  ) {
    supervisor = ICEServerSupervisor(policy: policy, route: route)
    self.links = links
    self.resolver = resolver
    self.tls = tls
    self.route = route
    self.notices = notices
  }

  // MARK: Sessions

  /// Takes the servers of a session.
  func name(_ servers: [ICEServer], for running: RunningSession, now: MonotonicInstant) {
    sessions[running.handle] = running
    perform(supervisor.name(servers, for: running.handle, now: now), now: now)
  }

  /// Closes the links of a session that is over.
  func remove(_ running: RunningSession, now: MonotonicInstant) {
    guard sessions[running.handle] === running else { return }
    for link in links.all where link.droppedCount > 0 && links.owner(of: link) === running {
      report(
        "relay \(link.server.url): \(link.droppedCount) packets were left out: the way there was too slow",
        running)
    }
    perform(supervisor.remove(running.handle), now: now)
    sessions[running.handle] = nil
  }

  /// Handles a session's relay events; returns false for all else.
  func handle(_ event: PeerSessionEvent, now: MonotonicInstant) -> Bool {
    switch event {
    case .relayAllocated(let link): perform(supervisor.relayAllocated(link, now: now), now: now)
    case .relayReplaced(let link): perform(supervisor.relayReplaced(link, now: now), now: now)
    case .relayFailed(let link, let failure): perform(supervisor.relayFailed(link, failure, now: now), now: now)
    case .connected, .keyFrameRequested, .pathMissing, .bitrateEstimated, .soundLossReported, .digitReceived,
      .candidateGathered, .restartNeeded, .ended:
      return false
    }
    return true
  }

  // MARK: Names and addresses

  /// Continues with a server whose name has been looked up.
  func finishLookup(_ resolution: NameResolution, now: MonotonicInstant) {
    perform(supervisor.finishLookup(resolution, now: now), now: now)
  }

  /// Asks STUN servers which addresses the present ones are seen under.
  func renewReflexiveAddresses(now: MonotonicInstant) {
    perform(supervisor.renewReflexiveAddresses(now: now), now: now)
  }

  /// Replaces links that do not leave from where they should.
  func renewRelays(among addresses: LocalAddresses, now: MonotonicInstant) {
    let standings = links.all.map { ($0.id, $0.standing(among: addresses)) }
    perform(supervisor.renewRelays(Dictionary(uniqueKeysWithValues: standings), now: now), now: now)
  }

  // MARK: Links

  /// A link's socket can be read or written.
  func handleReady(_ id: TURNConnectionID, now: MonotonicInstant) {
    guard let link = links[id], let running = links.owner(of: link) else { return }
    link.handleReady(buffer, now: now) { running.session.receive(&$0, over: id, now: now) }
    followEvents(of: link, now: now)
  }

  /// Does what is due, and closes links that broke while sessions sent over them.
  func run(now: MonotonicInstant) {
    perform(supervisor.handleTimeout(now: now), now: now)
    for link in links.all {
      link.handleTimeout(now: now)
      followEvents(of: link, now: now)
    }
  }

  /// Has epoll watch for what the links wait for.
  ///
  /// - Parameter firstToken: the token of the link with the id 0.
  func watchLinks(with epoll: borrowing Epoll, firstToken: UInt64) {
    for link in links.all { link.watch(with: epoll, token: firstToken + UInt64(link.id.rawValue)) }
  }

  /// When ``run(now:)`` has to be called.
  var deadline: MonotonicInstant { links.all.reduce(supervisor.deadline) { min($0, $1.deadline) } }

  private func followEvents(of link: TURNConnection, now: MonotonicInstant) {
    while let event = link.takeEvent() {
      switch event {
      case .opened(let address): perform(supervisor.linkOpened(link.id, to: address), now: now)
      case .failed(let reason): perform(supervisor.linkFailed(link.id, reason, now: now), now: now)
      }
    }
  }

  // MARK: Actions

  private func perform(_ actions: [SessionServerAction], now: MonotonicInstant) {
    for action in actions {
      guard let running = sessions[action.session] else { continue }
      perform(action.action, for: running, now: now)
    }
  }

  private func perform(_ action: ICEServerAction, for running: RunningSession, now: MonotonicInstant) {
    switch action {
    case .lookUp(let id, let url):
      let proxy = route.proxy(to: url)
      guard !resolver.resolve(proxy?.host ?? url.host, port: proxy?.port ?? url.port, id: id) else { return }
      finishLookup(NameResolution(id: id, result: .failure(.busy)), now: now)
    case .connect(let id, let server, let addresses):
      let link = TURNConnection(id: id, server: server, tls: tls, proxy: route.proxy(to: server.url))
      links.insert(link, of: running)
      link.connect(to: addresses, now: now)
      followEvents(of: link, now: now)
    case .close(let id): links.remove(id)
    case .askReflexiveAddress(let server): running.session.askReflexiveAddress(of: server, now: now)
    case .openRelay(let id, let server, let predecessor):
      running.session.openRelay(id, server, after: predecessor, now: now)
    case .closeRelay(let id): running.session.closeRelay(id, now: now)
    case .endServers: running.session.endServers(now: now)
    case .report(let text): report(text, running)
    }
  }

  private func report(_ text: String, _ running: RunningSession) {
    notices.yield(.server(sessionID: running.handle.sessionID, reason: text))
  }
}
