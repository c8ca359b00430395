import Glibc
public import MediaCore

/// What the network loop has to say of its sockets, for logs and status displays.
public enum SocketNotice: Sendable, Hashable, CustomStringConvertible {
  /// The kernel refuses datagrams for this reason; told once for each reason.
  case datagramsRefused(by: TransportAddress, errno: Int32)
  /// No interface has the address to which a socket is bound.
  case addressLost(TransportAddress)
  /// An interface has it again.
  case addressReturned(TransportAddress)

  public var description: String {
    switch self {
    case .datagramsRefused(let socket, let code):
      "datagrams from \(socket) are lost: \(String(cString: strerror(code))); calls on other paths go on"
    case .addressLost(let address):
      "no interface has \(address.host) any more: calls cannot use it until it is back"
    case .addressReturned(let address): "\(address.host) is back"
    }
  }
}
