import ICE
import MediaCore
import PeerSession
import Signalling

@testable import NetworkLoop

/// A supervisor and the time, for tests.
struct ServerBench {
  static let address = TransportAddress(ipv4: 0xC000_0201, port: 3_478)
  static let numeric = "turn:192.0.2.1"
  static let named = "turn:turn.example"

  var supervisor: ICEServerSupervisor
  var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)

  init(policy: ICETransportPolicy = .all) { supervisor = ICEServerSupervisor(policy: policy) }

  /// A supervisor of one session, "s", whose only server is at an address; its link is 1.
  static func withRelay() -> ServerBench {
    var bench = ServerBench()
    _ = bench.name(numeric)
    return bench
  }

  mutating func name(_ urls: String..., for session: SessionHandle = "s") -> [ICEServerAction] {
    let servers = [ICEServer(urls: urls, username: "olga", credential: "secret")]
    return supervisor.name(servers, for: session, now: now).map(\.action)
  }

  mutating func resolve(_ id: UInt32, _ addresses: [TransportAddress] = [address]) -> [ICEServerAction] {
    supervisor.finishLookup(NameResolution(id: id, result: .success(addresses)), now: now).map(\.action)
  }

  mutating func open(_ id: UInt32) -> [ICEServerAction] {
    supervisor.linkOpened(TURNConnectionID(rawValue: id), to: Self.address).map(\.action)
  }

  mutating func fail(_ id: UInt32, _ reason: String = "broken") -> [ICEServerAction] {
    supervisor.linkFailed(TURNConnectionID(rawValue: id), reason, now: now).map(\.action)
  }

  mutating func allocate(_ id: UInt32) -> [ICEServerAction] {
    supervisor.relayAllocated(TURNConnectionID(rawValue: id), now: now).map(\.action)
  }

  mutating func replace(_ id: UInt32) -> [ICEServerAction] {
    supervisor.relayReplaced(TURNConnectionID(rawValue: id), now: now).map(\.action)
  }

  mutating func refuse(_ id: UInt32, _ failure: TURNFailure) -> [ICEServerAction] {
    supervisor.relayFailed(TURNConnectionID(rawValue: id), failure, now: now).map(\.action)
  }

  mutating func renew(_ standings: [UInt32: TURNConnection.Standing]) -> [ICEServerAction] {
    let standings = standings.map { (TURNConnectionID(rawValue: $0), $1) }
    return supervisor.renewRelays(Dictionary(uniqueKeysWithValues: standings), now: now).map(\.action)
  }

  mutating func renewReflexiveAddresses() -> [ICEServerAction] {
    supervisor.renewReflexiveAddresses(now: now).map(\.action)
  }

  mutating func remove(_ session: SessionHandle = "s") -> [ICEServerAction] { supervisor.remove(session).map(\.action) }

  /// Lets time pass up to the next deadline.
  mutating func advance() -> [ICEServerAction] {
    now = supervisor.deadline
    return supervisor.handleTimeout(now: now).map(\.action)
  }
}

extension ICEServerAction {
  /// A connection to the server of ``ServerBench/withRelay()``.
  static func connect(_ id: UInt32) -> ICEServerAction {
    connect(TURNConnectionID(rawValue: id), relay(ServerBench.numeric), [ServerBench.address])
  }

  /// A connection to the server that is known by name.
  static func connectNamed(_ id: UInt32) -> ICEServerAction {
    connect(TURNConnectionID(rawValue: id), relay(ServerBench.named), [ServerBench.address])
  }

  static func lookUp(_ id: UInt32) -> ICEServerAction { lookUp(id, relay(ServerBench.named).url) }

  static func open(_ id: UInt32, after predecessor: UInt32? = nil) -> ICEServerAction {
    let server = TURNServerEndpoint(address: ServerBench.address, isStream: false, username: "olga", password: "secret")
    return openRelay(TURNConnectionID(rawValue: id), server, after: predecessor.map { TURNConnectionID(rawValue: $0) })
  }

  static func close(_ id: UInt32) -> ICEServerAction { close(TURNConnectionID(rawValue: id)) }

  static func closeRelay(_ id: UInt32) -> ICEServerAction { closeRelay(TURNConnectionID(rawValue: id)) }

  /// What the log says of the server of ``ServerBench/withRelay()``.
  static func reportRelay(_ text: String) -> ICEServerAction { report("relay turn:192.0.2.1:3478: \(text)") }

  private static func relay(_ url: String) -> ICEServerList.TURNServer {
    var list = ICEServerList()
    return list.add([ICEServer(urls: [url], username: "olga", credential: "secret")]).relays[0]
  }
}
