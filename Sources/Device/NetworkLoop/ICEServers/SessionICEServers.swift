import ICE
import MediaCore
import PeerSession
import Signalling
import TLSClient

/// The STUN and TURN servers of one session, and how far reaching them has come.
struct SessionICEServers {
  /// The name of a STUN server that is being looked up.
  private struct Lookup {
    let id: UInt32
    let server: ICEServerURL
    let deadline: MonotonicInstant
  }

  private let usesReflectors: Bool
  private let route: ProxyRoute
  private var list = ICEServerList()
  /// At most one for each STUN server.
  private var lookups: [Lookup] = []
  private var relays: [TURNServerFailover] = []
  /// No more will be named.
  private var areNamed = false
  /// The session knows that no more will come.
  private var areEnded = false

  init(usesReflectors: Bool, route: ProxyRoute) { (self.usesReflectors, self.route) = (usesReflectors, route) }

  /// The session is over.
  func close() -> [ICEServerAction] { relays.flatMap { $0.close() } }

  /// When ``handleTimeout(now:ids:)`` has to be called.
  var deadline: MonotonicInstant {
    let trying = relays.reduce(MonotonicInstant.distantFuture) { min($0, $1.deadline) }
    return lookups.reduce(trying) { min($0, $1.deadline) }
  }

  // MARK: Servers

  /// Takes all the session's servers; those that are unusable are reported and passed over.
  mutating func name(
    _ descriptions: [ICEServer], now: MonotonicInstant, ids: inout ICEServerIDs
  ) -> [ICEServerAction] {
    let added = list.add(descriptions)
    var actions = added.refusals.map { ICEServerAction.report($0) }
    if !usesReflectors, list.relays.isEmpty { actions.append(.report("\(NetworkLoopError.noRelay)")) }
    (areNamed, areEnded) = (true, false)
    actions += ask(added.reflectors, now: now, ids: &ids)
    for server in added.relays {
      var relay = TURNServerFailover(server, isProxied: route.proxy(to: server.url) != nil)
      actions += relay.open(&ids, now: now)
      relays.append(relay)
    }
    return endingServers(after: actions)
  }

  /// Asks STUN servers which addresses the present ones are seen under.
  mutating func renewReflexiveAddresses(now: MonotonicInstant, ids: inout ICEServerIDs) -> [ICEServerAction] {
    guard usesReflectors, !list.reflectors.isEmpty else { return [] }
    areEnded = false
    return endingServers(after: ask(list.reflectors, now: now, ids: &ids))
  }

  /// Replaces links that the change of this machine's addresses affects.
  mutating func renewRelays(
    _ standings: [TURNConnectionID: TURNConnection.Standing], now: MonotonicInstant, ids: inout ICEServerIDs
  ) -> [ICEServerAction] {
    var actions: [ICEServerAction] = []
    for index in relays.indices { actions += relays[index].renew(standings, now: now, ids: &ids) }
    return endingServers(after: actions)
  }

  /// Does what is due.
  mutating func handleTimeout(now: MonotonicInstant, ids: inout ICEServerIDs) -> [ICEServerAction] {
    var actions: [ICEServerAction] = []
    for lookup in lookups where lookup.deadline <= now { actions += finishLookup(lookup.id, .failure(.late), now: now) }
    for index in relays.indices { actions += relays[index].handleTimeout(now: now, ids: &ids) }
    return endingServers(after: actions)
  }

  private mutating func ask(
    _ servers: [ICEServerURL], now: MonotonicInstant, ids: inout ICEServerIDs
  ) -> [ICEServerAction] {
    guard usesReflectors else { return [] }
    // First what waits for nothing: a lookup that fails at once may be the last thing that is waited for.
    let asking = servers.compactMap(\.address).map { ICEServerAction.askReflexiveAddress(of: $0) }
    return asking + servers.filter { $0.address == nil }.compactMap { lookUp($0, now: now, ids: &ids) }
  }

  private mutating func lookUp(
    _ server: ICEServerURL, now: MonotonicInstant, ids: inout ICEServerIDs
  ) -> ICEServerAction? {
    guard !lookups.contains(where: { $0.server == server }) else { return nil }
    let lookup = Lookup(id: ids.next(), server: server, deadline: now + NameResolver.limit)
    lookups.append(lookup)
    return .lookUp(lookup.id, server)
  }

  // MARK: Results

  /// Takes the answer to a lookup; one that is not awaited is ignored.
  mutating func finishLookup(
    _ id: UInt32, _ result: Result<[TransportAddress], NameResolutionError>, now: MonotonicInstant
  ) -> [ICEServerAction] {
    guard let index = lookups.firstIndex(where: { $0.id == id }) else {
      return change(TURNConnectionID(rawValue: id)) { $0.finishLookup($1, result, now: now) }
    }
    let lookup = lookups.remove(at: index)
    switch result {
    case .success(let addresses):
      return endingServers(after: addresses.firstOfEachFamily.map { .askReflexiveAddress(of: $0) })
    case .failure(let error): return endingServers(after: [.report("\(lookup.server): \(error)")])
    }
  }

  /// Has the server of a link change, and notifies the session if it was the last one to wait for.
  mutating func change(
    _ id: TURNConnectionID, _ body: (inout TURNServerFailover, TURNConnectionID) -> [ICEServerAction]
  ) -> [ICEServerAction] {
    guard let index = relays.firstIndex(where: { $0.has(id) }) else { return [] }
    return endingServers(after: body(&relays[index], id))
  }

  /// Adds, once, that all servers are asked or given up.
  private mutating func endingServers(after actions: [ICEServerAction]) -> [ICEServerAction] {
    let isPending = !lookups.isEmpty || relays.contains(where: \.isPending)
    if isPending { areEnded = false }
    guard areNamed, !areEnded, !isPending else { return actions }
    areEnded = true
    return actions + [.endServers]
  }
}

extension [TransportAddress] {
  fileprivate var firstOfEachFamily: [TransportAddress] {
    [first { !$0.isIPv6 }, first { $0.isIPv6 }].compactMap { $0 }
  }
}
