public import MediaCore

/// A TURN server as a session needs to know it.
public struct TURNServerEndpoint: Sendable, Hashable {
  /// Where the server is, looked up already.
  public var address: TransportAddress
  /// Over TCP or TLS messages come and go as a stream of octets (RFC 8656 §12.5); over UDP one a datagram.
  public var isStream: Bool
  /// Over TLS, which makes it the last choice.
  public var isSecure: Bool
  /// The long-term credentials' username (RFC 8489 §9.2). Not shown.
  public var username: String
  /// Secret; not shown.
  public var password: String

  /// Nothing is checked: a server rejects bad credentials at the allocation.
  public init(
    address: TransportAddress, isStream: Bool, isSecure: Bool = false, username: String, password: String
  ) {
    self.address = address
    self.isStream = isStream
    self.isSecure = isSecure
    self.username = username
    self.password = password
  }
}

extension TURNServerEndpoint: CustomStringConvertible, CustomDebugStringConvertible {
  /// Without the credentials.
  public var description: String { "\(address) over \(isSecure ? "TLS" : isStream ? "TCP" : "UDP")" }

  /// The same: no credentials.
  public var debugDescription: String { description }

  /// The preference of candidates relayed there (RFC 8445 §5.1.2.1): a stream delays what follows a lost segment, and
  /// TLS costs more.
  var localPreference: UInt16 { isSecure ? 0x3FFF : isStream ? 0x7FFF : .max }
}
