internal import FoundationEssentials
public import Signalling

/// An event with its payload encoded once, however many receive it.
public struct EncodedEvent: Sendable {
  public let name: EventName
  /// JSON without line feeds.
  public let data: String
  /// Whom the event is about, when only the newest about each counts; nil: every one must arrive.
  public let subject: String?

  public init(_ event: HubEvent) {
    name = event.name
    data = event.encodedPayload()
    subject = if case .presence(let payload) = event { payload.userID } else { nil }
  }

  /// One that was encoded elsewhere.
  public init(name: EventName, data: String, subject: String?) {
    self.name = name
    self.data = data
    self.subject = subject
  }
}

extension HubEvent {
  /// The payload as JSON without line feeds, as an event's single `data:` line needs it.
  fileprivate func encodedPayload() -> String {
    switch self {
    case .hello(let payload): encodePayload(payload)
    case .callIncoming(let payload): encodePayload(payload)
    case .callRinging(let payload): encodePayload(payload)
    case .callAnswered(let payload), .callOffer(let payload): encodePayload(payload)
    case .callRejected(let payload), .callEnded(let payload): encodePayload(payload)
    case .callTaken(let payload): encodePayload(payload)
    case .callCandidates(let payload): encodePayload(payload)
    case .signal(let payload): encodePayload(payload)
    case .control(let payload): encodePayload(payload)
    case .controlResult(let payload): encodePayload(payload)
    case .presence(let payload): encodePayload(payload)
    case .archiveStarted(let payload), .archiveStopped(let payload): encodePayload(payload)
    case .callHistory(let payload): encodePayload(payload)
    case .request(let payload): encodePayload(payload)
    }
  }
}

/// Payloads are plain records whose only floating-point number is a finite distance, so encoding cannot fail.
func encodePayload(_ payload: some Encodable) -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  guard let data = try? encoder.encode(payload) else { preconditionFailure("an event payload cannot be encoded") }
  return String(decoding: data, as: UTF8.self)
}
