/// Why there is no reply.
public enum RedisFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is no connection; the command was not sent.
  case notConnected
  /// Too many commands wait; the command was not sent.
  case overloaded
  /// The connection ended, or the reply did not come in time: whether the command took effect is unknown.
  case lost(reason: String)

  public var description: String {
    switch self {
    case .notConnected: "not connected"
    case .overloaded: "too many commands wait for Redis"
    case .lost(let reason): reason
    }
  }
}
