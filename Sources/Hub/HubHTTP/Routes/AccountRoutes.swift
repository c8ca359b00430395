internal import HubCore
internal import Hummingbird
internal import Signalling

/// `/v1/accounts`, `/v1/devices` and `/v1/active-calls`: what operators administrate.
struct AccountRoutes {
  let desk: AccountDesk
  let hub: Hub

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.get("/v1/accounts") { request, context in try await list(nil, request, context) }
    router.get("/v1/devices") { request, context in try await list(.device, request, context) }
    router.post("/v1/accounts") { request, context in
      let requester = try Requester(request, context)
      return try await desk.attempt(.accountCreated, by: requester) { administrator in
        try await admit(requester)
        let new = try await request.decode(NewAccount.self)
        return try Response.json(try await desk.create(new, by: administrator), status: .created)
      }
    }
    addAccount(to: router)
    addCredentials(to: router)
    addCalls(to: router)
  }

  private func addAccount(to router: some RouterMethods<HubRequestContext>) {
    router.patch("/v1/accounts/:accountID") { request, context in
      try await changing(.accountChanged, request, context) { id, administrator in
        let change = try await request.decode(AccountChange.self)
        return try Response.json(try await desk.change(id, change, by: administrator))
      }
    }
    router.delete("/v1/accounts/:accountID") { request, context in
      try await changing(.accountRemoved, request, context) { id, administrator in
        try await desk.remove(id, by: administrator)
        return Response.noContent
      }
    }
    router.get("/v1/accounts/:accountID/logins") { request, context in
      let administrator = try await desk.administrator(try Requester(request, context))
      return try Response.json(
        try await desk.logins(of: try context.parameters.require("accountID"), for: administrator))
    }
    router.delete("/v1/accounts/:accountID/logins") { request, context in
      try await changing(.loginEnded, request, context) { id, administrator in
        try await desk.endLogins(of: id, by: administrator)
        return Response.noContent
      }
    }
  }

  private func addCredentials(to router: some RouterMethods<HubRequestContext>) {
    router.post("/v1/accounts/:accountID/enrolment") { request, context in
      try await changing(.keyReplaced, request, context) { id, administrator in
        try await admit(administrator.requester)
        return try Response.json(try await desk.renewKey(of: id, by: administrator))
      }
    }
    router.post("/v1/accounts/:accountID/password") { request, context in
      try await changing(.passwordChanged, request, context) { id, administrator in
        try await admit(administrator.requester)
        return try Response.json(try await desk.resetPassword(of: id, by: administrator))
      }
    }
  }

  private func addCalls(to router: some RouterMethods<HubRequestContext>) {
    router.get("/v1/active-calls") { request, context in
      let administrator = try await desk.administrator(try Requester(request, context))
      return try Response.json(try await desk.calls(for: administrator))
    }
    router.delete("/v1/active-calls/:sessionID") { request, context in
      try await desk.attempt(.callEnded, by: try Requester(request, context)) { administrator in
        guard let id = SessionID(try context.parameters.require("sessionID")) else { throw HubRefusal.sessionUnknown }
        try await desk.endCall(id, by: administrator)
        return Response.noContent
      }
    }
  }

  /// Something that is done to the account that the path names.
  private func changing(
    _ kind: AuditKind, _ request: Request, _ context: HubRequestContext,
    _ change: (_ id: String, _ administrator: Administrator) async throws -> Response
  ) async throws -> Response {
    let id = try context.parameters.require("accountID")
    return try await desk.attempt(kind, on: id, by: try Requester(request, context)) { try await change(id, $0) }
  }

  private func list(_ kind: UserKind?, _ request: Request, _ context: HubRequestContext) async throws -> Response {
    let administrator = try await desk.administrator(try Requester(request, context))
    let parameters = request.uri.queryParameters
    var limit = AccountDesk.maximumListed
    if let text = parameters["limit"] {
      guard let number = Int(text), (1...AccountDesk.maximumListed).contains(number) else {
        throw HubRefusal.invalid(field: "limit", reason: "must be 1 to \(AccountDesk.maximumListed)")
      }
      limit = number
    }
    let (search, after) = (try title("search", of: parameters), try title("after", of: parameters))
    return try Response.json(
      try await desk.list(kind, search: search, after: after, limit: limit, for: administrator))
  }

  private func title(_ name: String, of parameters: Parameters) throws -> String? {
    guard let text = parameters[Substring(name)].map(String.init) else { return nil }
    guard text.utf8.count <= Title.maximumBytes else {
      throw HubRefusal.invalid(field: name, reason: "is longer than any title")
    }
    return text
  }

  /// Counts a credential that is given.
  private func admit(_ requester: Requester) async throws {
    try await hub.backplane.admitToken(for: "accounts of \(requester.principal.userID)")
  }
}
