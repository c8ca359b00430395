/// Why there is no TLS on a channel, or no longer.
public enum TLSChannelError: Error, Equatable, Sendable {
  /// The handshake took longer than allowed.
  case timedOut
  /// The connection ended, perhaps cut by a third party (RFC 8446 §6.1).
  case closed
  /// TLS failed, or the server's certificate was refused; as text for people.
  case failed(reason: String)
}
