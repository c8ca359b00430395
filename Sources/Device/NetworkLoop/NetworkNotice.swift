import Glibc
public import MediaCore
public import Signalling

/// What the network loop has to say of its sockets and of servers, without credentials, for logs and status displays.
public enum NetworkNotice: Sendable, Hashable, CustomStringConvertible {
  /// The kernel refuses datagrams for this reason; reported once for each reason.
  case datagramsRefused(by: TransportAddress, errno: Int32)
  /// No interface has the address to which a socket is bound.
  case addressLost(TransportAddress)
  /// An interface has it again.
  case addressReturned(TransportAddress)
  /// Changes of this machine's addresses will be missed.
  case addressesUnwatched(reason: String)
  /// A STUN or TURN server is not used, or not fast enough; the reason names it.
  case server(sessionID: SessionID, reason: String)

  public var description: String {
    switch self {
    case .datagramsRefused(let socket, let code):
      "datagrams from \(socket) are lost: \(String(cString: strerror(code))); calls on other paths continue"
    case .addressLost(let address):
      "no interface has \(address.host) any more: calls cannot use it until it is back"
    case .addressReturned(let address): "\(address.host) is back"
    case .addressesUnwatched(let reason):
      "changes of this machine's addresses are not noticed (\(reason)): restart livesessionsd when they change"
    case .server(_, let reason): reason
    }
  }
}
