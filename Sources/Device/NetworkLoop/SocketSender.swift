import MediaCore
import PeerSession

/// Sends each datagram through the socket that owns its local address. Confined to the network thread.
final class SocketSender: DatagramSink {
  private let sockets: [UDPSocket]
  private let relays: RelayLinks

  init(sockets: [UDPSocket], relays: RelayLinks) {
    self.sockets = sockets
    self.relays = relays
  }

  /// Errors are not reported: the path may come back, and ICE consent notices when it does not.
  func send(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) {
    guard let socket = sockets.first(where: { $0.address == local }) ?? sockets.first(where: { $0.accepts(local) })
    else { return }
    _ = socket.send(datagram, from: local, to: remote)
  }

  func send(_ octets: RawSpan, over link: RelayLinkID) { relays[link]?.send(octets) }
}

extension UDPSocket {
  /// Whether the socket is bound to all addresses of the family, `local` among them.
  fileprivate func accepts(_ local: TransportAddress) -> Bool {
    address.isIPv6 == local.isIPv6 && address.port == local.port && address.high == 0 && address.low == 0
  }
}
