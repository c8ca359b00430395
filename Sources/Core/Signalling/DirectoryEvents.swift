/// `presence`: a user in one of one's groups came, went, or changed status. Positions are polled, not pushed.
public struct PresenceEvent: Codable, Sendable {
  public var userID: String
  public var userTitle: String
  public var isOnline: Bool
  public var status: PresenceStatus
  public var kind: UserKind

  public init(userID: String, userTitle: String, isOnline: Bool, status: PresenceStatus, kind: UserKind) {
    self.userID = userID
    self.userTitle = userTitle
    self.isOnline = isOnline
    self.status = status
    self.kind = kind
  }
}

/// `POST …/control/result`: the device's answer to a ``SessionControl``.
public struct SessionControlResult: Codable, Sendable {
  public var action: String
  public var target: String?
  public var isDone: Bool
  /// Why it was not done: `not-allowed`, `unknown-action` or a later code.
  public var reason: String?
  /// Details the reason with one code.
  public var detail: String?

  public init(action: String, target: String?, isDone: Bool, reason: String?, detail: String? = nil) {
    self.action = action
    self.target = target
    self.isDone = isDone
    self.reason = reason
    self.detail = detail
  }
}

/// `control.result`, to the party that asked.
public struct ControlResultEvent: Codable, Sendable {
  public var sessionID: SessionID
  public var action: String
  public var target: String?
  public var isDone: Bool
  public var reason: String?
  public var detail: String?

  public init(sessionID: SessionID, result: SessionControlResult) {
    self.sessionID = sessionID
    action = result.action
    target = result.target
    isDone = result.isDone
    reason = result.reason
    detail = result.detail
  }
}
