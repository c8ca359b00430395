import ICE
import MediaCore

/// A connection to a TURN server and the allocation there.
final class TURNAllocation {
  let link: TURNConnectionID
  let server: TURNServerEndpoint
  var client: TURNClient
  /// Cuts messages out of a stream; idle where each comes as a datagram.
  var deframer = TURNDeframer()
  /// The relayed address, while this side has it.
  var address: TransportAddress?
  /// The relay that is given back once this one has an address and carries what that one did.
  let predecessor: TURNConnectionID?
  /// No candidate any more: given back as soon as the path leads elsewhere.
  var isRetired = false

  init(_ link: TURNConnectionID, _ server: TURNServerEndpoint, after predecessor: TURNConnectionID?, client: TURNClient)
  {
    self.link = link
    self.server = server
    self.predecessor = predecessor
    self.client = client
  }

  /// The server has neither given an address nor refused.
  var isAllocating: Bool { address == nil && client.failure == nil }
}

extension TURNAllocation {
  /// Takes a datagram of the peer's, its sender, and the relayed address it came to; returns whether to continue.
  typealias Delivery = (inout MutableRawSpan, TransportAddress, TransportAddress) -> Bool

  /// Takes input from the connection: a datagram, or the next octets of a stream. May be changed in place.
  func receive(_ octets: inout MutableRawSpan, now: MonotonicInstant, deliver: Delivery) {
    if server.isStream {
      receiveStream(octets.bytes, now: now, deliver: deliver)
    } else {
      _ = receiveMessage(&octets, now: now, deliver: deliver)
    }
  }

  private func receiveStream(_ octets: RawSpan, now: MonotonicInstant, deliver: Delivery) {
    var offset = 0
    var isOpen = true
    do throws(TURNStreamError) {
      while isOpen, try deframer.take(octets, from: &offset) {
        deframer.withMessage { isOpen = receiveMessage(&$0, now: now, deliver: deliver) }
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
