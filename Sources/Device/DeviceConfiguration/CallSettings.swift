import ConfigFile

/// `[calls]`: how much at once.
public struct CallSettings: Sendable, Hashable {
  /// As many as the network thread holds, and the hub for one user.
  public static let mostSessions = 64

  /// Calls at the same time, the last of which is kept for operators.
  public var maximumSessions: Int

  init(_ table: ConfigTable) {
    maximumSessions = table.integer("max_sessions", default: 16, in: 1...Self.mostSessions)
  }
}
