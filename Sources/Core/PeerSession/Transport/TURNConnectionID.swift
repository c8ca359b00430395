/// Names a connection of one session to a TURN server; the owner keeps a socket for each.
///
/// Unique among all sessions of an owner, so that the owner finds the socket without the session.
public struct TURNConnectionID: Hashable, Sendable {
  /// Any number; its meaning is the owner's.
  public var rawValue: UInt32

  /// Accepts any number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}
