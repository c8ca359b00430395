/// Why a TURN server gives no relayed address, or no longer does.
public enum TURNFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The server did not answer a request in time.
  case noAnswer
  /// Name or password are wrong, or have expired (401).
  case credentialsRefused
  /// The server sends its clients elsewhere (300), which is not followed.
  case redirected
  /// The server refused to allocate an address.
  case refused(code: Int)
  /// The server has given the allocation up: it refused to refresh it, or no longer knows it.
  case lost(code: Int)
  /// The server's answer lacks a required attribute.
  case malformedAnswer
  /// The connection's octets are no TURN.
  case malformedStream

  /// Whether the same server may give an address later. Credentials do not get better, nor do a server's rules.
  public var mayPass: Bool {
    switch self {
    case .credentialsRefused, .redirected, .refused(403), .refused(440): false
    case .noAnswer, .refused, .lost, .malformedAnswer, .malformedStream: true
    }
  }

  /// What happened and what to do about it, for a log.
  public var description: String {
    switch self {
    case .noAnswer: "the TURN server does not answer; check its address and the firewall"
    case .credentialsRefused: "the TURN server refuses the credentials; check user name and password"
    case .redirected: "the TURN server names another one (300); configure that one"
    case .refused(403): "the TURN server forbids an allocation (403)"
    case .refused(437): "the TURN server has an allocation of this connection already (437)"
    case .refused(440): "the TURN server relays neither IPv4 nor IPv6 (440)"
    case .refused(486): "the user's allocations on the TURN server are used up (486); raise its quota"
    case .refused(508): "the TURN server has no address or port left (508)"
    case .refused(let code): "the TURN server refuses an allocation (\(code))"
    case .lost(let code): "the TURN server has given up the allocation (\(code))"
    case .malformedAnswer: "the TURN server's answer is incomplete or too long"
    case .malformedStream: "what answers at the TURN server's address does not speak TURN"
    }
  }
}
