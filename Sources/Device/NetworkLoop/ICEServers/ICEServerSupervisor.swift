import ICE
import MediaCore
import PeerSession
import Signalling
import TLSClient

/// Decides which STUN and TURN servers of each session are looked up, connected to, tried again and given up.
///
/// Sans-IO: it takes what happened and the time, and returns what to do. A *link* is one connection of one session to
/// one TURN server, and counts from the lookup of the server's name on. Reports of links and lookups that are gone are
/// ignored, so that pending work need not be called back.
struct ICEServerSupervisor {
  private struct Session {
    let id: SessionHandle
    var servers: SessionICEServers
  }

  private let usesReflectors: Bool
  private let route: ProxyRoute
  /// In the order in which their servers were named.
  private var sessions: [Session] = []
  private var ids = ICEServerIDs()
  /// When ``handleTimeout(now:)`` has to be called; asked for in each iteration of the thread, so it is kept.
  private(set) var deadline = MonotonicInstant.distantFuture

  /// - Parameters:
  ///   - policy: with `relay`, STUN servers are not asked.
  ///   - route: whether TURN servers are reached through a proxy over TLS.
  init(policy: ICETransportPolicy, route: ProxyRoute = .direct) {
    usesReflectors = policy == .all
    self.route = route
  }

  // MARK: Sessions

  /// Takes the servers of a session, which begins to count with the first call.
  mutating func name(
    _ servers: [ICEServer], for handle: SessionHandle, now: MonotonicInstant
  ) -> [SessionServerAction] {
    if !sessions.contains(where: { $0.id == handle }) {
      sessions.append(Session(id: handle, servers: SessionICEServers(usesReflectors: usesReflectors, route: route)))
    }
    return change { id, session, ids in id == handle ? session.name(servers, now: now, ids: &ids) : [] }
  }

  /// A session is over, whatever was under way.
  mutating func remove(_ handle: SessionHandle) -> [SessionServerAction] {
    let actions = change { id, session, _ in id == handle ? session.close() : [] }
    sessions.removeAll { $0.id == handle }
    noteDeadline()
    return actions
  }

  // MARK: Lookups and links

  /// A lookup has come to an end.
  mutating func finishLookup(_ resolution: NameResolution, now: MonotonicInstant) -> [SessionServerAction] {
    change { _, session, _ in session.finishLookup(resolution.id, resolution.result, now: now) }
  }

  /// A link is up, to this one of its addresses.
  mutating func linkOpened(_ link: TURNConnectionID, to address: TransportAddress) -> [SessionServerAction] {
    change(link) { $0.opened($1, at: address) }
  }

  /// A link did not come up, or broke.
  mutating func linkFailed(_ link: TURNConnectionID, _ reason: String, now: MonotonicInstant) -> [SessionServerAction] {
    change(link) { $0.failed($1, reason, now: now) }
  }

  // MARK: Events of sessions

  /// A session has an address on the server.
  mutating func relayAllocated(_ link: TURNConnectionID, now: MonotonicInstant) -> [SessionServerAction] {
    change(link) { $0.allocated($1, now: now) }
  }

  /// A session has given a relay back for the one that was opened after it.
  mutating func relayReplaced(_ link: TURNConnectionID, now: MonotonicInstant) -> [SessionServerAction] {
    change(link) { $0.replaced($1, now: now) }
  }

  /// A session has closed a relay.
  mutating func relayFailed(
    _ link: TURNConnectionID, _ failure: TURNFailure, now: MonotonicInstant
  ) -> [SessionServerAction] {
    change(link) { $0.refused($1, failure, now: now) }
  }

  // MARK: Time and place

  /// Does what is due.
  mutating func handleTimeout(now: MonotonicInstant) -> [SessionServerAction] {
    guard deadline <= now else { return [] }
    return change { _, session, ids in session.handleTimeout(now: now, ids: &ids) }
  }

  /// The addresses that sessions offer have changed: queries STUN servers again.
  mutating func renewReflexiveAddresses(now: MonotonicInstant) -> [SessionServerAction] {
    change { _, session, ids in session.renewReflexiveAddresses(now: now, ids: &ids) }
  }

  /// This machine's addresses have changed: replaces links that leave from an address that is gone, or not from the
  /// one that the kernel would choose now.
  ///
  /// - Parameter standings: of the links that have been made.
  mutating func renewRelays(
    _ standings: [TURNConnectionID: TURNConnection.Standing], now: MonotonicInstant
  ) -> [SessionServerAction] {
    change { _, session, ids in session.renewRelays(standings, now: now, ids: &ids) }
  }

  // MARK: Private

  private mutating func change(
    _ link: TURNConnectionID, _ body: (inout TURNServerFailover, TURNConnectionID) -> [ICEServerAction]
  ) -> [SessionServerAction] {
    change { _, session, _ in session.change(link, body) }
  }

  /// Offers a change to each session: all this is rare, and sessions are few.
  private mutating func change(
    _ body: (SessionHandle, inout SessionICEServers, inout ICEServerIDs) -> [ICEServerAction]
  ) -> [SessionServerAction] {
    var actions: [SessionServerAction] = []
    for index in sessions.indices {
      let id = sessions[index].id
      actions += body(id, &sessions[index].servers, &ids).map { SessionServerAction(session: id, action: $0) }
    }
    noteDeadline()
    return actions
  }

  private mutating func noteDeadline() {
    deadline = sessions.reduce(.distantFuture) { min($0, $1.servers.deadline) }
  }
}

/// Makes the ids of links and lookups, which are unique among all sessions.
struct ICEServerIDs {
  private var last: UInt32 = 0

  mutating func next() -> UInt32 {
    last &+= 1
    return last
  }
}
