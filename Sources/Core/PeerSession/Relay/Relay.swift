import ICE
import MediaCore

/// A connection to a TURN server and the allocation there.
final class Relay {
  let link: RelayLinkID
  let server: RelayServer
  var client: TURNClient
  /// Cuts messages out of a stream; idle where each comes as a datagram.
  var deframer = TURNDeframer()
  /// The relayed address, while this side has it.
  var address: TransportAddress?
  /// The relay that is given back once this one has an address and carries what that one did.
  let predecessor: RelayLinkID?
  /// No candidate any more: given back as soon as the path leads elsewhere.
  var isRetired = false

  init(_ link: RelayLinkID, _ server: RelayServer, after predecessor: RelayLinkID?, client: TURNClient) {
    self.link = link
    self.server = server
    self.predecessor = predecessor
    self.client = client
  }

  /// The server has neither given an address nor refused.
  var isAllocating: Bool { address == nil && client.failure == nil }
}

/// The relays of a session. Confined to its thread.
final class Relays {
  /// More are not opened: of each server the one in use, its successor, and one that gives way to another successor.
  static let limit = 3 * ICEServerList.limit

  private(set) var all: [Relay] = []
  /// ``ICEAgent/pairCount`` when the peer's addresses were last permitted.
  var permittedPairCount: UInt32 = 0

  subscript(link: RelayLinkID) -> Relay? { all.first { $0.link == link } }

  /// The relay through which what leaves from a relayed address has to go.
  func relay(at local: TransportAddress) -> Relay? {
    guard !all.isEmpty else { return nil }
    return all.firstIndex { $0.address == local }.map { all[$0] }
  }

  var isAllocating: Bool { all.contains { $0.isAllocating } }

  /// Whether the path begins at a relay that is to be given back.
  var hasRetired: Bool { all.contains { $0.isRetired } }

  /// When a client has something to do.
  var deadline: MonotonicInstant {
    var deadline = MonotonicInstant.distantFuture
    for relay in all { deadline = min(deadline, relay.client.deadline) }
    return deadline
  }

  func add(_ relay: Relay) { all.append(relay) }

  func remove(_ relay: Relay) { all.removeAll { $0 === relay } }

  func removeAll() { all.removeAll() }
}
