import FoundationEssentials
import Signalling

extension HubEvent {
  /// Decodes one event of the stream and checks its ids and sizes; `nil` for those that a device has no use for, and for
  /// later additions.
  init?(_ event: ServerSentEvent) throws(HubClientError) {
    guard let name = EventName(rawValue: event.name), let typed = try Self.decode(name, event) else { return nil }
    if let field = typed.oversizedField { throw .malformedAnswer("event \(event.name): \(field) is too long") }
    self = typed
  }

  private static func decode(_ name: EventName, _ event: ServerSentEvent) throws(HubClientError) -> HubEvent? {
    switch name {
    case .hello: .hello(try payload(event))
    case .callIncoming: .callIncoming(try payload(event))
    case .callRinging: .callRinging(try payload(event))
    case .callAnswered: .callAnswered(try payload(event))
    case .callRejected: .callRejected(try payload(event))
    case .callCandidates: .callCandidates(try payload(event))
    case .callOffer: .callOffer(try payload(event))
    case .callEnded: .callEnded(try payload(event))
    case .signal: .signal(try payload(event))
    case .control: .control(try payload(event))
    case .archiveStarted: .archiveStarted(try payload(event))
    case .archiveStopped: .archiveStopped(try payload(event))
    case .request: .request(try payload(event))
    // A device has one client, sends no requests to others, and fetches users on demand.
    case .callTaken, .callHistory, .controlResult, .presence: nil
    }
  }

  private static func payload<Payload: Decodable>(_ event: ServerSentEvent) throws(HubClientError) -> Payload {
    do {
      return try JSONDecoder().decode(Payload.self, from: Data(event.data))
    } catch {
      throw .malformedAnswer("event \(event.name): \(error)")
    }
  }
}
