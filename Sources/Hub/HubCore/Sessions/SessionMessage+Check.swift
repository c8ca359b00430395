public import Signalling

extension SessionRequest {
  /// Refuses what no state of the hub could allow.
  public func check(from caller: Principal) throws(HubRefusal) {
    try MessageSizes.check(description: offer, field: "offer")
    guard receiverID != caller.userID else { throw .notAllowed("one cannot call oneself") }
    try caller.guest?.check(self)
  }
}

extension SessionMessage {
  /// Refuses what is too long, or not the sender's to say, whatever session it is about.
  public func check(in sessionID: SessionID, from sender: Principal, limits: HubLimits) throws(HubRefusal) {
    switch self {
    case .ringing: break
    case .answer(let description), .offer(let description):
      try MessageSizes.check(description: description.sdp, field: "sdp")
      try sender.guest?.check(description: description.sdp)
    case .reject(let ending): try Self.check(reason: ending.reason)
    case .candidates(let message): try MessageSizes.check(message.candidates, atMost: limits.candidatesPerMessage)
    case .signal(let signal):
      try MessageSizes.check(signalType: signal.type)
      try MessageSizes.check("data", signal.data, atMost: MessageLimits.signalData)
    case .control(let control): try MessageSizes.check(action: control.action, target: control.target)
    case .controlResult(let result): try MessageSizes.check(result)
    case .archive(let archive): try Self.check(archive, in: sessionID, from: sender)
    case .end(let ending): try Self.check(reason: ending?.reason ?? EndReason.hangup.rawValue)
    }
  }

  private static func check(
    _ archive: ArchiveAnnouncement, in sessionID: SessionID, from sender: Principal
  ) throws(HubRefusal) {
    guard archive.sessionID == sessionID else { throw .invalid(field: "sessionID", reason: "is not the path's") }
    guard sender.role == .device else { throw .notAllowed("only a device records") }
    guard [.started, .stopped].contains(archive.status) else {
      throw .invalid(field: "status", reason: "must be started or stopped")
    }
  }

  /// Reasons are codes of a growing list, not texts.
  private static func check(reason: String) throws(HubRefusal) {
    try MessageSizes.check(word: reason, field: "reason")
  }
}
