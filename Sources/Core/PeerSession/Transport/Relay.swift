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

extension Relay {
  /// Takes a datagram of the peer's, its sender, and the relayed address it came to; returns whether to go on.
  typealias Delivery = (inout MutableRawSpan, TransportAddress, TransportAddress) -> Bool

  /// Takes what came over the connection: a datagram, or the next octets of a stream. May be changed in place.
  func receive(_ octets: inout MutableRawSpan, now: MonotonicInstant, deliver: Delivery) {
    if server.isStream {
      receiveStream(octets.bytes, now: now, deliver: deliver)
    } else {
      _ = receiveMessage(&octets, now: now, deliver: deliver)
    }
  }

  private func receiveStream(_ octets: RawSpan, now: MonotonicInstant, deliver: Delivery) {
    var offset = 0
    var goesOn = true
    do throws(TURNStreamError) {
      while goesOn, try deframer.take(octets, from: &offset) {
        deframer.withMessage { goesOn = receiveMessage(&$0, now: now, deliver: deliver) }
      }
    } catch {
      client.fail(.malformedStream)
    }
  }

  private func receiveMessage(_ message: inout MutableRawSpan, now: MonotonicInstant, deliver: Delivery) -> Bool {
    guard let data = client.receive(message.bytes, now: now), let address else { return true }
    var datagram = message._mutatingExtracting(data.octets)
    return deliver(&datagram, data.peer, address)
  }
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
