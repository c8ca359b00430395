import ICE
import MediaCore
import PeerSession

/// One TURN server of one session: the links to it, at most two, or when it is tried again.
///
/// Without a link and without a pause it is given up for the call.
struct TURNServerFailover {
  /// A connection to the server, from the lookup of its name on.
  private struct Link {
    enum Phase: Equatable {
      case lookingUp(until: MonotonicInstant)
      case connecting
      /// The session knows it.
      case open
      /// The session has an allocation there.
      case serving(since: MonotonicInstant)
    }

    let id: TURNConnectionID
    /// The link in whose place this one comes, while that may still serve.
    let predecessor: TURNConnectionID?
    var phase: Phase

    var isPending: Bool {
      switch phase {
      case .lookingUp, .connecting: true
      case .open, .serving: false
      }
    }

    var hasSocket: Bool { lookupDeadline == .distantFuture }

    var lookupDeadline: MonotonicInstant {
      if case .lookingUp(let deadline) = phase { deadline } else { .distantFuture }
    }

    var servingSince: MonotonicInstant? {
      if case .serving(let since) = phase { since } else { nil }
    }
  }

  let server: ICEServerList.TURNServer
  private let isProxied: Bool
  /// Oldest first.
  private var links: [Link] = []
  private var failures = TURNServerFailures()
  /// When the server is tried again; `distantFuture` where it is not.
  private var retryAt = MonotonicInstant.distantFuture

  /// - Parameter isProxied: a proxy is looked up and connected to in place of the server.
  init(_ server: ICEServerList.TURNServer, isProxied: Bool = false) {
    self.server = server
    self.isProxied = isProxied
  }

  /// Something is looked up or connected to.
  var isPending: Bool { links.contains(where: \.isPending) }

  func has(_ id: TURNConnectionID) -> Bool { index(of: id) != nil }

  /// The session is over.
  func close() -> [ICEServerAction] { links.filter(\.hasSocket).map { .close($0.id) } }

  /// When ``handleTimeout(now:ids:)`` has to be called.
  var deadline: MonotonicInstant { links.reduce(retryAt) { min($0, $1.lookupDeadline) } }

  // MARK: Links that come up

  /// - Parameter predecessor: a link that continues until the new one serves.
  mutating func open(
    _ ids: inout ICEServerIDs, after predecessor: TURNConnectionID? = nil, now: MonotonicInstant
  ) -> [ICEServerAction] {
    retryAt = .distantFuture
    let id = TURNConnectionID(rawValue: ids.next())
    let address = isProxied ? nil : server.url.address
    let phase = address == nil ? Link.Phase.lookingUp(until: now + NameResolver.limit) : .connecting
    links.append(Link(id: id, predecessor: predecessor, phase: phase))
    guard let address else { return [.lookUp(id.rawValue, server.url)] }
    return [.connect(id, server, [address])]
  }

  /// The server's name has been looked up for a link.
  mutating func finishLookup(
    _ id: TURNConnectionID, _ result: Result<[TransportAddress], NameResolutionError>, now: MonotonicInstant
  ) -> [ICEServerAction] {
    guard let index = index(of: id), case .lookingUp = links[index].phase else { return [] }
    switch result {
    case .success(let addresses):
      links[index].phase = .connecting
      return [.connect(id, server, addresses)]
    case .failure(let error):
      links.remove(at: index)
      return tryLater("\(error)", servingSince: nil, now: now)
    }
  }

  /// A link is up.
  mutating func opened(_ id: TURNConnectionID, at address: TransportAddress) -> [ICEServerAction] {
    guard let index = index(of: id), links[index].phase == .connecting else { return [] }
    links[index].phase = .open
    let relay = TURNServerEndpoint(
      address: address, isStream: server.url.transport != .udp, isSecure: server.url.transport == .tls,
      username: server.username, password: server.password)
    return [.openRelay(id, relay, after: links[index].predecessor)]
  }

  /// The session has an address there.
  mutating func allocated(_ id: TURNConnectionID, now: MonotonicInstant) -> [ICEServerAction] {
    guard let index = index(of: id) else { return [] }
    links[index].phase = .serving(since: now)
    defer { failures.areReported = false }
    return failures.areReported ? [report("works again")] : []
  }

  // MARK: Links that end

  /// A link broke, or did not come up.
  mutating func failed(_ id: TURNConnectionID, _ reason: String, now: MonotonicInstant) -> [ICEServerAction] {
    guard let index = index(of: id) else { return [] }
    let link = links.remove(at: index)
    let leaving: [ICEServerAction] = link.isPending ? [] : [.closeRelay(id)]
    return [.close(id)] + leaving + tryLater(reason, servingSince: link.servingSince, now: now)
  }

  /// The session has closed the relay.
  mutating func refused(_ id: TURNConnectionID, _ failure: TURNFailure, now: MonotonicInstant) -> [ICEServerAction] {
    guard let index = index(of: id) else { return [] }
    let link = links.remove(at: index)
    guard failure.mayPass else { return [.close(id), report("\(failure)")] }
    return [.close(id)] + tryLater("\(failure)", servingSince: link.servingSince, now: now)
  }

  /// The session has given a relay back whose successor serves.
  mutating func replaced(_ id: TURNConnectionID, now: MonotonicInstant) -> [ICEServerAction] {
    guard let index = index(of: id) else { return [] }
    let link = links.remove(at: index)
    // The successor may have failed meanwhile.
    return [.close(id)] + tryLater("the relay in its place has failed", servingSince: link.servingSince, now: now)
  }

  /// Has the server tried again after a pause, unless another link leads there: then nothing is lost yet. Reported once,
  /// until it works again.
  private mutating func tryLater(
    _ reason: String, servingSince service: MonotonicInstant?, now: MonotonicInstant
  ) -> [ICEServerAction] {
    guard links.isEmpty else { return [] }
    retryAt = failures.note(servingSince: service, now: now)
    defer { failures.areReported = true }
    return failures.areReported ? [] : [report(reason)]
  }

  // MARK: Time and place

  /// Gives up lookups that take too long, and tries again what is due.
  mutating func handleTimeout(now: MonotonicInstant, ids: inout ICEServerIDs) -> [ICEServerAction] {
    var actions: [ICEServerAction] = []
    for link in links where link.lookupDeadline <= now {
      actions += finishLookup(link.id, .failure(.late), now: now)
    }
    return retryAt <= now ? actions + open(&ids, now: now) : actions
  }

  /// This machine's addresses have changed: replaces a link unless one is unaffected.
  ///
  /// A server that waits to be tried again is tried at once; one that was given up for good stays so.
  mutating func renew(
    _ standings: [TURNConnectionID: TURNConnection.Standing], now: MonotonicInstant, ids: inout ICEServerIDs
  ) -> [ICEServerAction] {
    let isWaiting = retryAt != .distantFuture
    guard !links.isEmpty || isWaiting, links.allSatisfy({ standings[$0.id, default: .unaffected] != .unaffected })
    else { return [] }
    // At most one continues until the new link serves: the oldest, which may be carrying the call.
    let kept = links.first { standings[$0.id] == .diverted }
    let dropped = links.filter { $0.id != kept?.id }
    links = kept.map { [$0] } ?? []
    failures.forget()
    let reports = isWaiting ? [] : [report("is reached again, since this machine's addresses have changed")]
    // The session must learn of the new link before it loses the old ones, or it would search for a path that does
    // without.
    return reports + dropped.map { .close($0.id) } + open(&ids, after: kept?.id, now: now)
      + dropped.filter { !$0.isPending }.map { .closeRelay($0.id) }
  }

  private func index(of id: TURNConnectionID) -> Int? { links.firstIndex { $0.id == id } }

  private func report(_ text: String) -> ICEServerAction { .report("relay \(server.url): \(text)") }
}
