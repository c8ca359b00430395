import ControlMessages

/// What one client, and all together, may take of the daemon.
public struct ControlServerLimits: Sendable, Hashable {
  /// Bytes of a message without its NUL.
  public var messageBytes = VarlinkFramer.defaultLimit
  public var clients = 32
  /// Events that wait for one monitor; with one more it is disconnected.
  public var queuedEvents = 64
  /// Time for a message once its first byte has come.
  public var messageTimeout: Duration = .seconds(10)

  public init() {}
}
