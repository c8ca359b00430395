internal import HTTPTypes
internal import HubCore
internal import Signalling

extension APIOperation {
  static let presence: [APIOperation] = [
    APIOperation(
      method: .put, path: "/v1/presence", id: "announcePresence", subject: .presence,
      summary: "Announce title, position and readiness, or say again what one has (the heartbeat).",
      body: .json(PresenceUpdate.self, limit: maximumJSONBytes), answers: [.done],
      refusals: [.notAllowed(""), .eventStreamGone, .tooMany("", retryAfter: 0)],
      requestsPerMinute: HubLimits().presenceUpdatesPerMinute),
    APIOperation(
      method: .delete, path: "/v1/presence", id: "withdrawPresence", subject: .presence,
      summary: "Withdraw what was announced.",
      parameters: [.query("eventStreamID", ["type": "string"], "Only if this is the stream to be called on.")],
      answers: [.done]),
    APIOperation(
      method: .get, path: "/v1/users", id: "listUsers", subject: .presence,
      summary: "List who is online in one's groups, nearest first, without oneself.",
      parameters: [
        .query(
          "latitude", ["type": "number", "minimum": -90, "maximum": 90], "With longitude: from where to measure."),
        .query("longitude", ["type": "number", "minimum": -180, "maximum": 180], "With latitude."),
        .query(
          "within", ["type": "string", "pattern": "^[0-9]{1,6}(m|km|mi)$", "examples": ["200mi"]],
          "No farther than this; decimals are taken, too."),
        .query(
          "limit", ["type": "integer", "minimum": 1, "maximum": .number(Int64(NearbyQuery.maximumLimit))],
          "How many, \(NearbyQuery().limit) without."),
      ],
      answers: [APIAnswer(help: "The users.", content: .json(NearbyUsers.self))],
      refusals: [.tooMany("", retryAfter: 0)], requestsPerMinute: HubLimits().nearbyQueriesPerMinute),
  ]

  /// OpenAPI 3.2 has a word for the schema of each event, 3.1 none.
  private static let stream: JSONTree = ["type": "string", "x-itemSchema": ["$ref": "#/components/schemas/Event"]]

  static let eventStream: [APIOperation] = [
    APIOperation(
      method: .get, path: EventRoutes.path, id: "readEvents", subject: .events,
      summary: "Read events as they come, from hello on; with poll, those that there are.",
      parameters: [
        .query(
          EventStreamPace.pollQuery, ["type": "string"],
          "Answer with the events that there are or come within \(EventStreamPace.longestSilence) s: empty at first, "
            + "then the eventStreamID of hello."),
        .header("Last-Event-ID", ["type": "string"], "The id of the last event that was read."),
      ],
      answers: [
        APIAnswer(
          help: "Server-sent events, each an Event of the schemas; a comment after \(EventStreamPace.longestSilence) s "
            + "without any. Without poll the answer ends with the token.",
          content: .other([("text/event-stream", stream)]))
      ],
      refusals: [.tooMany("", retryAfter: 0)], requestsPerMinute: HubLimits().arrivalsPerMinute)
  ]
}

extension EventName {
  /// What `data:` of the event has.
  var payload: any (Decodable & Sendable).Type {
    switch self {
    case .hello: HelloEvent.self
    case .callIncoming: IncomingCallEvent.self
    case .callRinging: SessionEvent.self
    case .callAnswered, .callOffer: DescriptionEvent.self
    case .callRejected, .callEnded: SessionEndedEvent.self
    case .callCandidates: CandidatesEvent.self
    case .callTaken: CallTakenEvent.self
    case .signal: SignalEvent.self
    case .control: ControlEvent.self
    case .controlResult: ControlResultEvent.self
    case .presence: PresenceEvent.self
    case .archiveStarted, .archiveStopped: ArchiveAnnouncement.self
    case .callHistory: CallHistoryEvent.self
    case .request: RequestEvent.self
    }
  }
}
