import MediaCore
import PeerSession
import TestSupport

/// A TURN server between two sessions, and the callee's links to it, each from an address of its own.
final class PairRelay {
  private static let address = TransportAddress(ipv4: 0xC000_0201, port: 3_478)

  let server = TURNTestServer(host: address, crypto: SeededCrypto(seed: 78))
  /// Links whose local address is gone.
  var deadLinks: Set<UInt32> = []

  static let credentials = TURNServerEndpoint(address: address, isStream: false, username: "camera", password: "secret")

  private static func address(of link: UInt32) -> TransportAddress {
    TransportAddress(ipv4: 0x0A02_0000 + link, port: 40_000)
  }

  private static func link(at address: TransportAddress) -> UInt32? {
    address.port == 40_000 ? address.ipv4.map { $0 & 0xFFFF } : nil
  }

  /// Carries what the callee sends over a link.
  func carry(_ bytes: [UInt8], over link: TURNConnectionID, in pair: SessionPair) {
    guard !deadLinks.contains(link.rawValue) else { return }
    pair.network.carry(bytes, from: Self.address(of: link.rawValue), to: Self.address, now: pair.now)
  }

  /// Takes what is meant for the server or comes from it; false for everything else.
  func deliver(_ datagram: FlyingDatagram, in pair: SessionPair) -> Bool {
    if datagram.target == Self.address, let link = Self.link(at: datagram.source) {
      server.receive(datagram.bytes, over: Int(link), now: pair.now)
    } else if let link = Self.link(at: datagram.target) {
      if !deadLinks.contains(link) {
        pair.callee.receive(datagram.bytes, over: TURNConnectionID(rawValue: link), now: pair.now)
      }
    } else if server.owns(datagram.target) {
      server.receive(datagram.bytes, from: datagram.source, to: datagram.target, now: pair.now) { _ in false }
    } else {
      return false
    }
    flush(pair)
    pair.drain()
    return true
  }

  private func flush(_ pair: SessionPair) {
    for output in server.takeOutput() {
      switch output {
      case .client(let link, let bytes):
        pair.network.carry(bytes, from: Self.address, to: Self.address(of: UInt32(link)), now: pair.now)
      case .peer(let bytes, let from, let to): pair.network.carry(bytes, from: from, to: to, now: pair.now)
      }
    }
  }
}

extension SessionPair {
  /// Opens one of the callee's links.
  func openRelay(_ link: UInt32, after predecessor: UInt32? = nil) {
    callee.session.openRelay(
      TURNConnectionID(rawValue: link), PairRelay.credentials, after: predecessor.map(TURNConnectionID.init(rawValue:)),
      now: now)
    callee.session.endServers(now: now)
    drain()
  }
}
