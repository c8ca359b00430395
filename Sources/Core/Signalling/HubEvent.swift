/// A server-sent event of the hub: a name of ``EventName`` with its payload.
public enum HubEvent: Sendable {
  /// The event stream is open.
  case hello(HelloEvent)
  case callIncoming(IncomingCallEvent)
  case callRinging(SessionEvent)
  case callAnswered(DescriptionEvent)
  case callRejected(SessionEndedEvent)
  case callCandidates(CandidatesEvent)
  case callOffer(DescriptionEvent)
  case callEnded(SessionEndedEvent)
  case callTaken(CallTakenEvent)
  case signal(SignalEvent)
  case control(ControlEvent)
  case controlResult(ControlResultEvent)
  case presence(PresenceEvent)
  case archiveStarted(ArchiveAnnouncement)
  case archiveStopped(ArchiveAnnouncement)
  case callHistory(CallHistoryEvent)
  case request(RequestEvent)

  public var name: EventName {
    switch self {
    case .hello: .hello
    case .callIncoming: .callIncoming
    case .callRinging: .callRinging
    case .callAnswered: .callAnswered
    case .callRejected: .callRejected
    case .callCandidates: .callCandidates
    case .callOffer: .callOffer
    case .callEnded: .callEnded
    case .callTaken: .callTaken
    case .signal: .signal
    case .control: .control
    case .controlResult: .controlResult
    case .presence: .presence
    case .archiveStarted: .archiveStarted
    case .archiveStopped: .archiveStopped
    case .callHistory: .callHistory
    case .request: .request
    }
  }

  /// The session that the event is about; nil for one about the stream, a user or an upload.
  public var sessionID: SessionID? {
    switch self {
    case .hello, .presence, .request, .callHistory: nil
    case .callIncoming(let event): event.sessionID
    case .callRinging(let event): event.sessionID
    case .callAnswered(let event), .callOffer(let event): event.sessionID
    case .callRejected(let event), .callEnded(let event): event.sessionID
    case .callCandidates(let event): event.sessionID
    case .callTaken(let event): event.sessionID
    case .signal(let event): event.sessionID
    case .control(let event): event.sessionID
    case .controlResult(let event): event.sessionID
    case .archiveStarted(let event), .archiveStopped(let event): event.sessionID
    }
  }
}
