import Signalling

/// What the hub should have refused: the engine keeps parts of events, so each has a bound here as well.
extension HubEvent {
  /// The field that is longer than any may be; nil if there is none. Candidates are left to their call, which drops
  /// those that are too long and keeps the others.
  var oversizedField: String? { boundedFields.first { $0.byteCount > $0.limit }?.name }

  private typealias Field = (name: String, byteCount: Int, limit: Int)

  private var boundedFields: [Field] {
    switch self {
    case .hello(let event): [("eventStreamID", event.eventStreamID.utf8.count, MessageLimits.identifier)]
    case .callIncoming(let event): Self.fields(event)
    case .callAnswered(let event), .callOffer(let event):
      [
        ("sdp", event.sdp.utf8.count, MessageLimits.description),
        ("receiverRole", event.receiverRole?.utf8.count ?? 0, MessageLimits.code),
        ("receiverGroups", Self.byteCount(event.receiverGroups ?? []), Self.maximumListBytes),
      ]
    case .callRejected(let event), .callEnded(let event): [("reason", event.reason.utf8.count, MessageLimits.code)]
    case .signal(let event):
      [
        ("userID", event.userID.utf8.count, MessageLimits.identifier),
        ("type", event.type.utf8.count, MessageLimits.signalType),
        ("data", event.data.utf8.count, MessageLimits.signalData),
      ]
    case .control(let event):
      [
        ("userID", event.userID.utf8.count, MessageLimits.identifier),
        ("action", event.action.utf8.count, MessageLimits.code),
        ("target", event.target?.utf8.count ?? 0, MessageLimits.code),
      ]
    case .callRinging(let event):
      [
        ("token", event.token?.utf8.count ?? 0, Self.maximumListBytes),
        ("receiverRole", event.receiverRole?.utf8.count ?? 0, MessageLimits.code),
        ("receiverGroups", Self.byteCount(event.receiverGroups ?? []), Self.maximumListBytes),
      ]
    case .callCandidates, .archiveStarted, .archiveStopped: []
    case .request(let event): Self.fields(event)
    // Not decoded.
    case .callTaken, .callHistory, .controlResult, .presence: []
    }
  }

  private static func fields(_ event: IncomingCallEvent) -> [Field] {
    let servers = event.iceServers.reduce(0) { sum, server in
      let urls = server.urls.reduce(0) { $0 + $1.utf8.count }
      return sum + urls + (server.username?.utf8.count ?? 0) + (server.credential?.utf8.count ?? 0)
    }
    return [
      ("callerID", event.callerID.utf8.count, MessageLimits.identifier),
      ("callerTitle", event.callerTitle.utf8.count, MessageLimits.title),
      ("callerRole", event.callerRole.utf8.count, MessageLimits.code),
      ("callerGroups", byteCount(event.callerGroups), maximumListBytes), ("iceServers", servers, maximumListBytes),
      ("token", event.token.utf8.count, maximumListBytes), ("offer", event.offer.utf8.count, MessageLimits.description),
    ]
  }

  private static func fields(_ event: RequestEvent) -> [Field] {
    guard let requester = event.requester else { return [] }
    return [
      ("requester.userID", requester.userID.utf8.count, MessageLimits.identifier),
      ("requester.role", requester.role.utf8.count, MessageLimits.code),
      ("requester.groups", byteCount(requester.groups), maximumListBytes),
      ("requester.token", requester.token.utf8.count, maximumListBytes),
    ]
  }

  private static func byteCount(_ words: [String]) -> Int { words.reduce(0) { $0 + $1.utf8.count } }

  private static let maximumListBytes = 8 << 10
}
