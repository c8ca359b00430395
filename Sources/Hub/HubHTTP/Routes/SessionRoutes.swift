internal import Foundation
internal import HubCore
internal import Hummingbird
internal import Signalling

/// `/v1/sessions/{id}` and what is below it: call signalling.
struct SessionRoutes {
  let hub: Hub
  let tokens: TokenAuthority
  let turn: TurnCredentials?

  func add(to router: some RouterMethods<HubRequestContext>) {
    let session = router.group("/v1/sessions/:id")
    session.put { request, context in try await place(request, context) }
    session.delete { request, context in
      let ending = try await request.decodeIfPresent(SessionEnding.self)
      return try perform(context) { state, id, userID, now throws(HubRefusal) in
        try state.hangUp(id, by: userID, reason: ending?.reason ?? EndReason.hangup.rawValue, now: now)
      }
    }
    addSetUp(to: session)
    addExchange(to: session)
  }

  private func addSetUp(to session: some RouterMethods<HubRequestContext>) {
    session.post("ringing") { _, context in
      try perform(context) { state, id, userID, now throws(HubRefusal) in
        try state.ring(id, by: userID, now: now)
      }
    }
    session.post("answer") { request, context in
      let answer = try await request.decode(SessionDescription.self)
      return try perform(context) { state, id, userID, now throws(HubRefusal) in
        try state.answer(id, by: userID, answer, now: now)
      }
    }
    session.post("reject") { request, context in
      let ending = try await request.decode(SessionEnding.self)
      return try perform(context) { state, id, userID, now throws(HubRefusal) in
        try state.reject(id, by: userID, reason: ending.reason, now: now)
      }
    }
    session.post("offer") { request, context in
      let offer = try await request.decode(SessionDescription.self)
      return try perform(context) { state, id, userID, now throws(HubRefusal) in
        try state.offer(id, by: userID, sdp: offer.sdp, now: now)
      }
    }
    session.post("candidates") { request, context in
      let candidates = try await request.decode(SessionCandidates.self)
      return try perform(context) { state, id, userID, now throws(HubRefusal) in
        try state.addCandidates(id, by: userID, candidates, now: now)
      }
    }
  }

  private func addExchange(to session: some RouterMethods<HubRequestContext>) {
    session.post("signal") { request, context in
      let signal = try await request.decode(SessionSignal.self)
      return try perform(context) { state, id, userID, now throws(HubRefusal) in
        try state.signal(id, by: userID, signal, now: now)
      }
    }
    session.post("control") { request, context in
      let control = try await request.decode(SessionControl.self)
      return try perform(context) { state, id, userID, now throws(HubRefusal) in
        try state.control(id, by: userID, control, now: now)
      }
    }
    session.post("control/result") { request, context in
      let result = try await request.decode(SessionControlResult.self)
      return try perform(context) { state, id, userID, now throws(HubRefusal) in
        try state.controlResult(id, by: userID, result, now: now)
      }
    }
    session.post("archive") { request, context in
      let archive = try await request.decode(ArchiveEvent.self)
      let principal = try context.principal
      return try perform(context) { state, id, _, now throws(HubRefusal) in
        guard archive.sessionID == id else { throw .invalid(field: "sessionID", reason: "is not the path's") }
        try state.announceArchive(archive, by: principal, now: now)
      }
    }
  }

  /// Places the call: checks first, then signs the two tokens, then commits.
  private func place(_ request: Request, _ context: HubRequestContext) async throws -> Response {
    let caller = try context.principal
    let id = try sessionID(context)
    let call = try await request.decode(SessionRequest.self)
    let parties = try hub.mutate { state, now throws(HubRefusal) in
      try state.prepareCall(id, from: caller, call, now: now)
    }
    let receiverToken = try await tokens.sessionToken(
      userID: parties.receiver.userID, role: parties.receiverRole, sessionID: id)
    let callerToken = try await tokens.sessionToken(
      userID: caller.userID, role: parties.callerRole, sessionID: id)
    let placement = CallPlacement(
      sessionID: id, caller: caller, request: call, context: parties,
      tokens: PartyTokens(caller: callerToken, receiver: receiverToken),
      receiverICEServers: iceServers(for: parties.receiver.userID))
    try hub.mutate { state, now throws(HubRefusal) in try state.placeCall(placement, now: now) }
    let isSubscriber = parties.callerRole == .subscriber
    let grant = SessionGrant(
      sessionID: id, publisherToken: isSubscriber ? nil : callerToken,
      subscriberToken: isSubscriber ? callerToken : nil, iceServers: iceServers(for: caller.userID))
    return try Response.json(grant, status: .created)
  }

  private func perform(
    _ context: HubRequestContext,
    _ body: (inout HubState, String, String, Instant) throws(HubRefusal) -> Void
  ) throws -> Response {
    let userID = try context.principal.userID
    let id = try sessionID(context)
    try hub.mutate { state, now throws(HubRefusal) in try body(&state, id, userID, now) }
    return .noContent
  }

  private func sessionID(_ context: HubRequestContext) throws -> String {
    guard let id = context.parameters.get("id"), UUID(uuidString: id) != nil else {
      throw HubRefusal.invalid(field: "id", reason: "a session id is a UUID")
    }
    return id.lowercased()
  }

  private func iceServers(for userID: String) -> [ICEServer] {
    turn?.servers(for: userID, at: Int64(Date().timeIntervalSince1970)) ?? []
  }
}
