internal import FoundationEssentials
public import Signalling

/// One server-sent event before it is encoded: a name of ``EventName`` with its payload.
public enum HubEvent: Sendable {
  case incoming(IncomingCallEvent)
  case ringing(SessionEvent)
  case answered(DescriptionEvent)
  case rejected(SessionEndedEvent)
  case candidates(CandidatesEvent)
  case offer(DescriptionEvent)
  case ended(SessionEndedEvent)
  case taken(CallTakenEvent)
  case signal(SignalEvent)
  case control(ControlEvent)
  case controlResult(ControlResultEvent)
  case presence(PresenceEvent)
  case archiveStarted(ArchiveEvent)
  case archiveStopped(ArchiveEvent)
  case request(RequestEvent)

  public var name: EventName {
    switch self {
    case .incoming: .callIncoming
    case .ringing: .callRinging
    case .answered: .callAnswered
    case .rejected: .callRejected
    case .candidates: .callCandidates
    case .offer: .callOffer
    case .ended: .callEnded
    case .taken: .callTaken
    case .signal: .signal
    case .control: .control
    case .controlResult: .controlResult
    case .presence: .presence
    case .archiveStarted: .archiveStarted
    case .archiveStopped: .archiveStopped
    case .request: .request
    }
  }

  /// The payload as JSON without line feeds, as an event's single `data:` line needs it.
  func encodedPayload() -> String {
    switch self {
    case .incoming(let payload): encodePayload(payload)
    case .ringing(let payload): encodePayload(payload)
    case .answered(let payload), .offer(let payload): encodePayload(payload)
    case .rejected(let payload), .ended(let payload): encodePayload(payload)
    case .taken(let payload): encodePayload(payload)
    case .candidates(let payload): encodePayload(payload)
    case .signal(let payload): encodePayload(payload)
    case .control(let payload): encodePayload(payload)
    case .controlResult(let payload): encodePayload(payload)
    case .presence(let payload): encodePayload(payload)
    case .archiveStarted(let payload), .archiveStopped(let payload): encodePayload(payload)
    case .request(let payload): encodePayload(payload)
    }
  }
}

/// An event with its payload encoded once, however many hear of it.
public struct EncodedEvent: Sendable {
  var name: EventName
  /// JSON without line feeds.
  var data: String
  /// Whom the event is about, when only the newest about each counts; nil: every one must arrive.
  var subject: String?

  public init(_ event: HubEvent) {
    name = event.name
    data = event.encodedPayload()
    if case .presence(let payload) = event { subject = payload.userID }
  }
}

/// Payloads are plain records whose only floating-point number is a finite distance, so encoding cannot fail.
func encodePayload(_ payload: some Encodable) -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  guard let data = try? encoder.encode(payload) else { preconditionFailure("an event payload cannot be encoded") }
  return String(decoding: data, as: UTF8.self)
}
