public import Signalling

/// An action of the device was done for a user, or refused.
public struct ActionUse: Sendable, Equatable {
  public var action: String
  /// `local`, `button:` and its name, or `user:` and the id.
  public var requester: String
  /// Of a party of a call.
  public var userID: String?
  public var sessionID: SessionID?
  /// Why it was not done, as text for people; nil if it was.
  public var refusal: String?

  public init(action: String, requester: String, userID: String?, sessionID: SessionID?, refusal: String?) {
    self.action = action
    self.requester = requester
    self.userID = userID
    self.sessionID = sessionID
    self.refusal = refusal
  }
}
