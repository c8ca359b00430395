public import Signalling

/// What the receiver's push subscriptions are to be sent about a call.
public struct PushOrder: Codable, Sendable, Equatable {
  public enum Content: Codable, Sendable, Equatable {
    case incoming(isVideo: Bool)
    case ended(PushMessage.Outcome)
  }

  public var sessionID: SessionID
  /// As known when the call was placed.
  public var caller: Principal
  public var receiverID: String
  public var content: Content
  /// Those that took the message about the incoming call; nil: all that the receiver has.
  public var subscriptionIDs: Set<String>?
  /// How long the call still rings; set by who hands the order on.
  public var timeLeft: Duration = .zero

  public init(
    sessionID: SessionID, caller: Principal, receiverID: String, content: Content, subscriptionIDs: Set<String>?
  ) {
    (self.sessionID, self.caller, self.receiverID) = (sessionID, caller, receiverID)
    (self.content, self.subscriptionIDs) = (content, subscriptionIDs)
  }
}

/// What the sender of a call's push messages has learned.
public struct PhoneReport: Sendable {
  /// The subscriptions whose push services have taken a message.
  public var reached: Set<String>
  /// Whether no attempt is left that the call has to wait for.
  public var isSettled: Bool

  public init(reached: Set<String>, isSettled: Bool) {
    (self.reached, self.isSettled) = (reached, isSettled)
  }
}

/// The push subscriptions of a call's receiver, which ring whether a page is open there or not.
public struct PhoneAlert: Codable, Sendable, Equatable {
  /// Those whose push services have taken the message about the call.
  private(set) var reached: Set<String> = []
  private var isSettled = false
  /// Set when the call is not to ring any longer.
  private(set) var outcome: PushMessage.Outcome?

  var isRinging: Bool { outcome == nil && !isFutile }

  var isFutile: Bool { outcome == nil && isSettled && reached.isEmpty }

  /// Returns whether more ring than before.
  mutating func note(_ report: PhoneReport) -> Bool {
    let count = reached.count
    reached.formUnion(report.reached)
    isSettled = isSettled || report.isSettled
    return reached.count > count
  }

  /// The first end counts: an answered call is no missed one later.
  mutating func end(_ outcome: PushMessage.Outcome) { self.outcome = self.outcome ?? outcome }
}
