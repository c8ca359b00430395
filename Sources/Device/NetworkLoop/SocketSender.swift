public import MediaCore
public import PeerSession

/// Sends each datagram through the socket that owns its local address, at the end of the iteration. Confined to one thread.
public final class SocketSender: DatagramSink {
  private let sockets: [UDPSocket]
  private let relays: TURNConnections

  init(sockets: [UDPSocket], relays: TURNConnections) {
    self.sockets = sockets
    self.relays = relays
  }

  /// Binds sockets of its own; for measurements without a ``NetworkLoop``.
  public convenience init(bindingTo addresses: [TransportAddress]) throws {
    var sockets: [UDPSocket] = []
    for address in addresses { sockets.append(try UDPSocket(address)) }
    self.init(sockets: sockets, relays: TURNConnections())
  }

  /// Where the sockets are bound.
  public var addresses: [TransportAddress] { sockets.map(\.address) }

  /// Errors are only counted: the path may come back, and ICE consent notices when it does not.
  public func send(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) {
    guard let socket = sockets.first(where: { $0.address == local }) ?? sockets.first(where: { $0.accepts(local) })
    else { return }
    socket.send(datagram, from: local, to: remote)
  }

  /// Sends what was gathered.
  public func flush() {
    for socket in sockets { socket.flush() }
  }

  public func send(_ octets: RawSpan, over link: TURNConnectionID) { relays[link]?.send(octets) }
}

extension UDPSocket {
  /// Whether the socket is bound to all addresses of the family, `local` among them.
  fileprivate func accepts(_ local: TransportAddress) -> Bool {
    address.isIPv6 == local.isIPv6 && address.port == local.port && address.isWildcard
  }
}
