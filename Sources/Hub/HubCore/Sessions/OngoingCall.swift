public import Signalling

/// A session that has not ended, as operators see it.
public struct OngoingCall: Sendable, Equatable {
  public let id: SessionID
  public let caller: Principal
  public let receiver: Principal
  /// Since it was placed.
  public let age: Duration
  public let isAnswered: Bool
  /// Of a viewer's session.
  public let view: CallView?

  /// Nil for one that has ended.
  public init?(_ session: CallSession, now: Instant) {
    guard !session.isEnded else { return nil }
    (id, caller, receiver) = (session.id, session.caller, session.receiver)
    (age, isAnswered, view) = (session.createdAt.duration(to: now), session.isAnswered, session.view)
  }
}
