internal import Foundation
internal import HubCore
internal import Hummingbird
internal import Signalling

/// `/v1/sessions/{id}` and what is below it: call signalling.
struct SessionRoutes {
  let hub: Hub
  let tokens: TokenAuthority
  let turn: TURNRESTCredentials?
  /// Nil for a hub that rings no phones.
  let push: PushService?

  func add(to router: some RouterMethods<HubRequestContext>) {
    let session = router.group("/v1/sessions/:id")
    session.put { request, context in try await place(request, context) }
    for verb in SessionMessage.Verb.allCases {
      session.on(verb.path.map { RouterPath($0) } ?? "", method: verb.path == nil ? .delete : .post) {
        request, context in try await receive(verb, request, context)
      }
    }
  }

  private func receive(
    _ verb: SessionMessage.Verb, _ request: Request, _ context: HubRequestContext
  ) async throws -> Response {
    let message = try await message(verb, request)
    let sender = try context.principal
    let id = try sessionID(context)
    try await hub.backplane.receive(message, in: id, from: sender)
    return .noContent
  }

  private func message(_ verb: SessionMessage.Verb, _ request: Request) async throws -> SessionMessage {
    switch verb {
    case .ringing: .ringing
    case .answer: .answer(try await request.decode(SessionDescription.self))
    case .reject: .reject(try await request.decode(SessionEnding.self))
    case .offer: .offer(try await request.decode(SessionDescription.self))
    case .candidates: .candidates(try await request.decode(SessionCandidates.self))
    case .signal: .signal(try await request.decode(SessionSignal.self))
    case .control: .control(try await request.decode(SessionControl.self))
    case .controlResult: .controlResult(try await request.decode(SessionControlResult.self))
    case .archive: .archive(try await request.decode(ArchiveAnnouncement.self))
    case .end: .end(try await request.decodeIfPresent(SessionEnding.self))
    }
  }

  /// Places the call: checks first, then signs the two tokens, then commits.
  private func place(_ request: Request, _ context: HubRequestContext) async throws -> Response {
    let caller = try context.principal
    let id = try sessionID(context)
    let call = try await request.decode(SessionRequest.self)
    let subscriber = await push?.subscriber(call.receiverID)
    let parties = try await hub.backplane.prepareCall(id, from: caller, call, subscriber: subscriber)
    let receiverToken = try await tokens.sessionToken(
      userID: parties.receiver.userID, role: parties.receiverRole, sessionID: id.text)
    let callerToken = try await tokens.sessionToken(
      userID: caller.userID, role: parties.callerRole, sessionID: id.text)
    let placement = CallPlacement(
      sessionID: id, caller: caller, request: call, context: parties,
      tokens: PartyTokens(caller: callerToken, receiver: receiverToken),
      receiverICEServers: iceServers(for: parties.receiver.userID))
    try await hub.backplane.placeCall(placement)
    let isSubscriber = parties.callerRole == .subscriber
    let grant = SessionGrant(
      sessionID: id, publisherToken: isSubscriber ? nil : callerToken,
      subscriberToken: isSubscriber ? callerToken : nil, iceServers: iceServers(for: caller.userID))
    return try Response.json(grant, status: .created)
  }

  private func sessionID(_ context: HubRequestContext) throws -> SessionID {
    let uuid = context.parameters.get("id").flatMap { UUID(uuidString: $0) }
    guard let uuid, let id = SessionID(uuid.uuidString.lowercased()) else {
      throw HubRefusal.invalid(field: "id", reason: "a session id is a UUID")
    }
    return id
  }

  private func iceServers(for userID: String) -> [ICEServer] {
    turn?.servers(for: userID, at: Int64(Date().timeIntervalSince1970)) ?? []
  }
}
