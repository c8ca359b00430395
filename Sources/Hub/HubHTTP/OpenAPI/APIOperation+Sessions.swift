internal import HTTPTypes
internal import HubCore
internal import Signalling

extension APIOperation {
  /// Calls: one request places them, one for each verb says what happens in them.
  static let sessions: [APIOperation] = [placing] + SessionMessage.Verb.allCases.map { telling($0) }

  private static let path = "/v1/sessions/{id}"
  private static let id = APIParameter.path(
    "id", ["type": "string", "format": "uuid"], "Chosen by the caller: a UUID, so that the request can be repeated.")
  private static let limits = HubLimits()

  private static let placing = APIOperation(
    method: .put, path: path, id: "placeCall", subject: .sessions, summary: "Call someone who is online.",
    parameters: [id], body: .json(SessionRequest.self, limit: maximumJSONBytes),
    answers: [APIAnswer(status: 201, help: "It is offered to the receiver.", content: .json(SessionGrant.self))],
    refusals: [
      .notAllowed(""), .receiverOffline, .sessionExists, .sessionEnded, .glare, .tooMany("", retryAfter: 0),
    ],
    requestsPerMinute: limits.callsPerMinute)

  private static func telling(_ verb: SessionMessage.Verb) -> APIOperation {
    APIOperation(
      method: verb.path == nil ? .delete : .post, path: verb.path.map { "\(path)/\($0)" } ?? path,
      id: "session\(verb.rawValue.prefix(1).uppercased())\(verb.rawValue.dropFirst())", subject: .sessions,
      summary: summary(verb), access: verb == .archive ? .token([.device]) : .token([]), parameters: [id],
      body: body(verb), answers: [.done],
      refusals: [
        .notAllowed(""), .sessionUnknown, .sessionEnded, .wrongState(""), .answeredElsewhere,
        .tooMany("", retryAfter: 0),
      ], requestsPerMinute: limits.messagesPerMinute)
  }

  private static func body(_ verb: SessionMessage.Verb) -> Body? {
    switch verb {
    case .ringing: nil
    case .answer, .offer: .json(SessionDescription.self, limit: maximumJSONBytes)
    case .reject: .json(SessionEnding.self, limit: maximumJSONBytes)
    case .candidates: .json(SessionCandidates.self, limit: maximumJSONBytes)
    case .signal: .json(SessionSignal.self, limit: maximumJSONBytes)
    case .control: .json(SessionControl.self, limit: maximumJSONBytes)
    case .controlResult: .json(SessionControlResult.self, limit: maximumJSONBytes)
    case .archive: .json(ArchiveAnnouncement.self, limit: maximumJSONBytes)
    case .end: .json(SessionEnding.self, limit: maximumJSONBytes, isRequired: false)
    }
  }

  private static func summary(_ verb: SessionMessage.Verb) -> String {
    switch verb {
    case .ringing: "The receiver's device rings."
    case .answer: "Answer the call, or an offer within it."
    case .reject: "Reject the call."
    case .offer: "Offer again within the call, as for an ICE restart."
    case .candidates: "Send ICE candidates to the other party."
    case .signal: "Send a signal to the other party; text chat has the type chat."
    case .control: "Ask the device for something; it checks who asks."
    case .controlResult: "The device's answer to a control."
    case .archive: "The device has begun or ended recording the call."
    case .end: "Hang up."
    }
  }
}
