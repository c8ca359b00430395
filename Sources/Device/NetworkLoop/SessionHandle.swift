public import Signalling

/// Names one attempt at a session.
///
/// A session that was hung up may be begun again under its id while results and events of the first attempt are still on
/// their way. They carry the handle of their attempt, and commands reach the attempt whose handle they carry, so that
/// none is taken for another's.
public struct SessionHandle: Hashable, Sendable {
  public let sessionID: SessionID
  /// Differs between the attempts of one id; the caller that begins sessions counts them.
  public let attempt: UInt64

  public init(_ sessionID: SessionID, attempt: UInt64 = 0) {
    self.sessionID = sessionID
    self.attempt = attempt
  }
}
