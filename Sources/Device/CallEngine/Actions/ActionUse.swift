public import Signalling

/// Somebody has had an action of the device done, or was refused it.
public struct ActionUse: Sendable, Equatable {
  public var action: String
  /// `local`, `button:` and its name, or `user:` and the id.
  public var requester: String
  /// Of a party of a call.
  public var userID: String?
  public var sessionID: SessionID?
  /// Why it was not done, in words for people; nil if it was.
  public var refusal: String?

  public init(action: String, requester: String, userID: String?, sessionID: SessionID?, refusal: String?) {
    self.action = action
    self.requester = requester
    self.userID = userID
    self.sessionID = sessionID
    self.refusal = refusal
  }
}
