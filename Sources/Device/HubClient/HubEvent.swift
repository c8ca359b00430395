import FoundationEssentials
public import Signalling

/// What the hub tells the device, with its payload decoded and its ids checked.
public enum HubEvent: Sendable {
  /// The event stream is open.
  case hello(HelloEvent)
  /// The event stream is gone; it is being opened again.
  case streamClosed
  case incomingCall(IncomingCallEvent)
  case callRinging(SessionEvent)
  case callAnswered(DescriptionEvent)
  case callRejected(SessionEndedEvent)
  case callCandidates(CandidatesEvent)
  case callOffer(DescriptionEvent)
  case callEnded(SessionEndedEvent)
  case signal(SignalEvent)
  case control(ControlEvent)
  case archiveStarted(ArchiveEvent)
  case archiveStopped(ArchiveEvent)
  case request(RequestEvent)

  /// Decodes one event of the stream; `nil` for those that a device has no use for, and for later additions.
  init?(_ event: ServerSentEvent) throws(HubClientError) {
    guard let name = EventName(rawValue: event.name) else { return nil }
    switch name {
    case .hello: self = .hello(try Self.decode(event))
    case .callIncoming: self = .incomingCall(try Self.decode(event))
    case .callRinging: self = .callRinging(try Self.decode(event))
    case .callAnswered: self = .callAnswered(try Self.decode(event))
    case .callRejected: self = .callRejected(try Self.decode(event))
    case .callCandidates: self = .callCandidates(try Self.decode(event))
    case .callOffer: self = .callOffer(try Self.decode(event))
    case .callEnded: self = .callEnded(try Self.decode(event))
    case .signal: self = .signal(try Self.decode(event))
    case .control: self = .control(try Self.decode(event))
    case .archiveStarted: self = .archiveStarted(try Self.decode(event))
    case .archiveStopped: self = .archiveStopped(try Self.decode(event))
    case .request: self = .request(try Self.decode(event))
    // A device has one client.
    case .controlResult, .presence, .callTaken: return nil
    }
    if let sessionID, !Identifier.isValid(sessionID) { throw .invalidIdentifier }
    if let field = oversizedField { throw .malformedAnswer("event \(event.name): \(field) is too long") }
  }

  /// The session that the event is about.
  public var sessionID: String? {
    switch self {
    case .hello, .streamClosed, .request: nil
    case .incomingCall(let event): event.sessionID
    case .callRinging(let event): event.sessionID
    case .callAnswered(let event), .callOffer(let event): event.sessionID
    case .callRejected(let event), .callEnded(let event): event.sessionID
    case .callCandidates(let event): event.sessionID
    case .signal(let event): event.sessionID
    case .control(let event): event.sessionID
    case .archiveStarted(let event), .archiveStopped(let event): event.sessionID
    }
  }

  private static func decode<Payload: Decodable>(_ event: ServerSentEvent) throws(HubClientError) -> Payload {
    do {
      return try JSONDecoder().decode(Payload.self, from: Data(event.data))
    } catch {
      throw .malformedAnswer("event \(event.name): \(error)")
    }
  }
}
