public import Signalling

/// One of the two ends of a session.
public enum Party: Sendable, Equatable {
  case caller
  case receiver

  var other: Party { self == .caller ? .receiver : .caller }
}

/// What a session's owner has to do after an event: deliver these, in this order.
public struct Delivery: Sendable {
  public var userID: String
  public var event: HubEvent

  public init(userID: String, event: HubEvent) {
    self.userID = userID
    self.event = event
  }
}

/// Who is in a session, in what roles.
struct SessionParties: Sendable {
  let caller: Principal
  let receiver: Principal
  let callerRole: SessionRole
  let receiverRole: SessionRole
  /// Informs the caller of the receiver's role.
  let receiverToken: String

  subscript(party: Party) -> Principal { party == .caller ? caller : receiver }

  func role(of party: Party) -> SessionRole { party == .caller ? callerRole : receiverRole }

  func party(of userID: String) -> Party? {
    switch userID {
    case caller.userID: .caller
    case receiver.userID: .receiver
    default: nil
    }
  }

  /// By role and groups a device that calls judges what the receiver asks of it; a person learns neither of another.
  var reportedRole: String? { caller.role == .device ? receiver.role.rawValue : nil }
  var reportedGroups: [String]? { caller.role == .device ? receiver.groups.sorted() : nil }

  func ringing(_ id: SessionID, phones: Int) -> HubEvent {
    .callRinging(
      SessionEvent(
        sessionID: id, phones: phones > 0 ? phones : nil, token: caller.role == .device ? receiverToken : nil,
        receiverRole: reportedRole, receiverGroups: reportedGroups))
  }

  /// As the other party learns of it.
  func event(of answer: SessionDescription, by party: Party, _ id: SessionID) -> DescriptionEvent {
    guard party == .receiver else { return DescriptionEvent(sessionID: id, sdp: answer.sdp) }
    return DescriptionEvent(
      sessionID: id, sdp: answer.sdp, token: receiverToken, receiverRole: reportedRole, receiverGroups: reportedGroups)
  }
}
