/// Why a command has no reply.
public struct RedisFailure: Error, Sendable, Hashable {
  public enum Cause: Sendable, Hashable {
    /// As many commands, or octets of them, as allowed wait for their replies already.
    case overloaded
    /// No connection to the server exists at the moment; the reason is that of the last failure.
    case notConnected(RedisDisconnection)
    /// The reply is overdue, this command's or that of one before it on the same connection.
    case timedOut
    /// The connection ended before the reply came.
    case connectionLost(RedisDisconnection)
    /// The server has become a replica; the client searches for the master.
    case failover
    /// The server refused a channel with an error of this code.
    case subscriptionRefused(code: String)
    case shutDown
  }

  public let cause: Cause
  /// Whether the server may have executed the command. When false, it certainly has not.
  public let mayHaveBeenCarriedOut: Bool

  static let overloaded = RedisFailure(cause: .overloaded, mayHaveBeenCarriedOut: false)
  static let shutDown = RedisFailure(cause: .shutDown, mayHaveBeenCarriedOut: false)
  static let failover = RedisFailure(cause: .failover, mayHaveBeenCarriedOut: false)

  static func notConnected(_ reason: RedisDisconnection) -> RedisFailure {
    RedisFailure(cause: .notConnected(reason), mayHaveBeenCarriedOut: false)
  }

  /// The failure of a command that had been written when the connection ended.
  static func ended(_ reason: RedisDisconnection) -> RedisFailure {
    switch reason {
    case .responseOverdue: RedisFailure(cause: .timedOut, mayHaveBeenCarriedOut: true)
    case .shutDown: RedisFailure(cause: .shutDown, mayHaveBeenCarriedOut: true)
    case .notYetConnected, .unreachable, .connectTimedOut, .tls, .passwordRequired, .wrongPassword, .noPermission,
      .loading, .isReplica, .masterDown, .noMaster, .refused, .closedByServer, .malformedReply, .replyTooLarge:
      RedisFailure(cause: .connectionLost(reason), mayHaveBeenCarriedOut: true)
    }
  }
}

extension RedisFailure: CustomStringConvertible {
  public var description: String {
    switch cause {
    case .overloaded: "too many commands wait for Redis already"
    case .notConnected(let reason): "not connected to Redis: \(reason)"
    case .timedOut: "Redis did not answer in time"
    case .connectionLost(let reason): "the connection to Redis was lost: \(reason)"
    case .failover: "the Redis server has become a replica"
    case .subscriptionRefused(let code): "the Redis server refuses a subscription with \(code)"
    case .shutDown: "the Redis client has been shut down"
    }
  }
}

/// Why a connection ended or could not be made, as text for people; never with a password in it.
public enum RedisDisconnection: Error, Sendable, Hashable {
  /// Nothing has been tried yet.
  case notYetConnected
  /// The operating system's or the resolver's message.
  case unreachable(String)
  case connectTimedOut
  case tls(reason: String)
  case passwordRequired
  case wrongPassword
  /// The account may not execute a command that the client needs.
  case noPermission(command: String)
  /// The server reads its data set from disk.
  case loading
  /// The server is a replica, where nothing can be written.
  case isReplica
  /// A replica has lost its master and is configured not to serve old data.
  case masterDown
  /// No sentinel that answers knows the address of a working master.
  case noMaster(name: String)
  /// The server refused a command of the greeting with an error of this code.
  case refused(command: String, code: String)
  case closedByServer
  case responseOverdue
  case malformedReply(String)
  /// A reply has more octets, or its arrays more elements, than allowed.
  case replyTooLarge(limit: Int)
  case shutDown
}

extension RedisDisconnection: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notYetConnected: "no connection has been made yet"
    case .unreachable(let reason): reason
    case .connectTimedOut: "no connection in time"
    case .tls(let reason): reason
    case .passwordRequired: "the server asks for a password"
    case .wrongPassword: "the server refuses the user name or the password"
    case .noPermission(let command): "the account may not execute \(command)"
    case .loading: "the server is loading its data set"
    case .isReplica: "the server is a replica, not the master"
    case .masterDown: "the server is a replica without a master"
    case .noMaster(let name): "no sentinel knows a working master named \(name)"
    case .refused(let command, let code): "the server refuses \(command) with \(code)"
    case .closedByServer: "the server closed the connection"
    case .responseOverdue: "the server did not answer in time"
    case .malformedReply(let detail): "the server does not speak RESP2: \(detail)"
    case .replyTooLarge(let limit): "a reply exceeds the limit of \(limit)"
    case .shutDown: "the client has been shut down"
    }
  }
}
