import ICE
import MediaCore
import PeerSession
import Signalling
import TestSupport
import Testing

@testable import NetworkLoop

/// Whatever happens in whatever order, links are few, sessions hear only of what is theirs, and servers are found again.
@Suite struct ServerInterleavingTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `servers are reached in the end and nothing is left behind`(seed: UInt64) async {
    var world = ServerWorld(seed: seed)
    for _ in 0..<20 {
      for _ in 0..<20 { world.step() }
      // Other tests keep real time.
      await Task.yield()
    }
    world.calmDown()
    for session in world.sessions.values {
      #expect(session.hasEnded)
      #expect(session.servingURLs == ServerWorld.relayURLs.subtracting(session.refusedURLs))
    }
    for id in world.sessions.keys { world.remove(id) }
    #expect(world.links.isEmpty)
    #expect(world.supervisor.deadline == .distantFuture)
  }
}

/// What a supervisor acts upon: names, sockets and sessions, each of which may do what it can do at any time.
private struct ServerWorld {
  struct Session {
    var hasEnded = false
    /// The relays that the session knows, and whether they serve.
    var relays: [TURNConnectionID: Bool] = [:]
    var predecessors: [TURNConnectionID: TURNConnectionID] = [:]
    /// Those whose successors have served.
    var retired: Set<TURNConnectionID> = []
    var refusedURLs: Set<String> = []
    var servingURLs: Set<String> = []
  }

  struct Link {
    let session: SessionHandle
    let url: String
    var isOpen = false
  }

  static let relayURLs: Set<String> = ["turn:192.0.2.1:3478", "turn:a.example:3478", "turns:b.example:5349"]

  private(set) var supervisor = ICEServerSupervisor(policy: .all)
  private(set) var sessions: [SessionHandle: Session] = [:]
  private(set) var links: [TURNConnectionID: Link] = [:]
  private var lookups: Set<UInt32> = []
  private var usedLinks: Set<TURNConnectionID> = []
  private var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  private var random: SeededGenerator
  private var lastSession = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  // MARK: What happens

  mutating func step() {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: open()
    case 1: remove(anySession)
    case 2...5: resolve()
    case 6...9: open(anyLink { !$0.isOpen })
    case 10, 11: fail(anyLink { _ in true })
    case 12...14: answer()
    case 15, 16: changeAddresses()
    default: pass(.milliseconds(Int64.random(in: 1...8_000, using: &random)))
    }
  }

  /// From now on all goes well.
  mutating func calmDown() {
    for _ in 0..<12 {
      // A lookup must not run into its limit.
      pass(.seconds(4))
      for id in lookups.sorted() { resolve(id, isFound: true) }
      for id in links.keys where links[id]?.isOpen == false { open(id) }
      for (name, session) in sessions { for (id, isServing) in session.relays where !isServing { allocate(id, name) } }
    }
    for id in sessions.keys {
      let urls = servingURLs(of: id)
      sessions[id]?.servingURLs = urls
    }
  }

  private mutating func open() {
    guard sessions.count < 8 else { return }
    lastSession += 1
    let id = SessionHandle(SessionID("\(lastSession)")!)
    sessions[id] = Session()
    let urls = ["stun:192.0.2.9", "stun:stun.example"] + Self.relayURLs.sorted()
    perform(supervisor.name([ICEServer(urls: urls)], for: id, now: now))
  }

  mutating func remove(_ id: SessionHandle?) {
    guard let id, sessions[id] != nil else { return }
    perform(supervisor.remove(id))
    sessions[id] = nil
    check(!links.values.contains { $0.session == id })
  }

  private mutating func resolve() {
    guard let id = lookups.sorted().randomElement(using: &random) else { return }
    resolve(id, isFound: Bool.random(using: &random))
  }

  private mutating func resolve(_ id: UInt32, isFound: Bool) {
    lookups.remove(id)
    let result = isFound ? Result.success([ServerBench.address]) : .failure(NameResolutionError.busy)
    perform(supervisor.finishLookup(NameResolution(id: id, result: result), now: now))
  }

  private mutating func open(_ id: TURNConnectionID?) {
    guard let id else { return }
    links[id]?.isOpen = true
    perform(supervisor.linkOpened(id, to: ServerBench.address))
  }

  private mutating func fail(_ id: TURNConnectionID?) {
    guard let id else { return }
    perform(supervisor.linkFailed(id, "broken", now: now))
    check(links[id] == nil)
  }

  /// A TURN server answers a session: with an address, or a refusal.
  private mutating func answer() {
    guard let id = anyLink({ $0.isOpen }), let name = links[id]?.session, let isServing = sessions[name]?.relays[id]
    else { return }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: refuse(id, name, .noAnswer)
    case 1: refuse(id, name, .credentialsRefused)
    default: if isServing { giveBack(id, name) } else { allocate(id, name) }
    }
  }

  private mutating func allocate(_ id: TURNConnectionID, _ name: SessionHandle) {
    sessions[name]?.relays[id] = true
    if let predecessor = sessions[name]?.predecessors[id] { sessions[name]?.retired.insert(predecessor) }
    perform(supervisor.relayAllocated(id, now: now))
  }

  private mutating func refuse(_ id: TURNConnectionID, _ name: SessionHandle, _ failure: TURNFailure) {
    sessions[name]?.relays[id] = nil
    let url = links[id]!.url
    perform(supervisor.relayFailed(id, failure, now: now))
    if !failure.mayPass, !links.values.contains(where: { $0.session == name && $0.url == url }) {
      sessions[name]?.refusedURLs.insert(url)
    }
  }

  /// The path leads elsewhere than over a relay that has a successor.
  private mutating func giveBack(_ id: TURNConnectionID, _ name: SessionHandle) {
    guard sessions[name]?.retired.contains(id) == true else { return }
    sessions[name]?.relays[id] = nil
    perform(supervisor.relayReplaced(id, now: now))
  }

  private mutating func changeAddresses() {
    var standings: [TURNConnectionID: TURNConnection.Standing] = [:]
    for id in links.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      standings[id] = [.unaffected, .diverted, .cut].randomElement(using: &random)
    }
    perform(supervisor.renewReflexiveAddresses(now: now))
    perform(supervisor.renewRelays(standings, now: now))
  }

  private mutating func pass(_ span: TimeSpan) {
    let end = now + span
    while supervisor.deadline <= end {
      now = max(now, supervisor.deadline)
      perform(supervisor.handleTimeout(now: now))
      check(supervisor.deadline > now)
    }
    now = end
  }

  // MARK: What the supervisor does

  private mutating func perform(_ actions: [SessionServerAction]) {
    for action in actions { perform(action.action, for: action.session) }
    let counts = Dictionary(grouping: links.values) { "\($0.session) \($0.url)" }.values.map(\.count)
    check(counts.allSatisfy { $0 <= 2 })
  }

  private mutating func perform(_ action: ICEServerAction, for name: SessionHandle) {
    check(sessions[name] != nil)
    switch action {
    case .lookUp(let id, _): check(lookups.insert(id).inserted)
    case .connect(let id, let server, _):
      check(usedLinks.insert(id).inserted)
      links[id] = Link(session: name, url: "\(server.url)")
      sessions[name]?.refusedURLs.remove("\(server.url)")
      if Bool.random(using: &random) { open(id) }
    case .close(let id): check(links.removeValue(forKey: id)?.session == name)
    case .openRelay(let id, _, let predecessor):
      check(links[id]?.isOpen == true)
      sessions[name]?.relays[id] = false
      sessions[name]?.predecessors[id] = predecessor
    case .closeRelay(let id): check(sessions[name]?.relays.removeValue(forKey: id) != nil)
    case .endServers: sessions[name]?.hasEnded = true
    case .askReflexiveAddress, .report: return
    }
  }

  /// As an expectation, but cheap, since this is asked often.
  private func check(_ isTrue: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    if !isTrue { Issue.record("it is not so", sourceLocation: sourceLocation) }
  }

  // MARK: What there is

  private var anySession: SessionHandle? {
    mutating get { sessions.keys.sorted { $0.sessionID < $1.sessionID }.randomElement(using: &random) }
  }

  private mutating func anyLink(_ isFit: (Link) -> Bool) -> TURNConnectionID? {
    links.filter { isFit($0.value) }.keys.sorted { $0.rawValue < $1.rawValue }.randomElement(using: &random)
  }

  private func servingURLs(of name: SessionHandle) -> Set<String> {
    let serving = sessions[name]?.relays.filter(\.value).keys.compactMap { links[$0]?.url } ?? []
    return Set(serving)
  }
}
