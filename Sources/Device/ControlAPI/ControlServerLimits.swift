import ControlMessages

/// What one client, and all together, may take of the daemon.
public struct ControlServerLimits: Sendable, Hashable {
  /// Bytes of a message without its NUL.
  public var messageBytes = VarlinkFramer.defaultLimit
  /// Of all users but root and the daemon's own.
  public var clients = 32
  /// Of one user; its longest idle client gives way to one more.
  public var clientsPerUser = 12
  /// Places beyond ``clients`` that only root and the daemon's own user get.
  public var reservedClients = 8
  /// A client without a call for this long, and without events to follow, is disconnected.
  public var idleTimeout: Duration = .seconds(60)
  /// Events that wait for one monitor; with one more it is disconnected.
  public var queuedEvents = 64
  /// Time for a message once its first byte has come.
  public var messageTimeout: Duration = .seconds(10)

  public init() {}

  /// Of the door for those who only watch: its clients stay for long, and are less important.
  public static var monitoring: ControlServerLimits {
    var limits = ControlServerLimits()
    limits.clients = 24
    limits.clientsPerUser = 8
    limits.reservedClients = 2
    limits.messageBytes = 4_096
    return limits
  }
}
