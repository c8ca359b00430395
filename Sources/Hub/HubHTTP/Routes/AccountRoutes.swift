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
      let principal = try context.principal
      let rights = try await desk.rights(of: principal)
      try await admit(principal)
      let new = try await request.decode(NewAccount.self)
      return try Response.json(try await desk.create(new, by: principal, rights: rights), status: .created)
    }
    addAccount(to: router)
    addCredentials(to: router)
    addCalls(to: router)
  }

  private func addAccount(to router: some RouterMethods<HubRequestContext>) {
    router.patch("/v1/accounts/:accountID") { request, context in
      let (id, principal, rights) = try await account(context)
      let change = try await request.decode(AccountChange.self)
      return try Response.json(try await desk.change(id, change, by: principal, rights: rights))
    }
    router.delete("/v1/accounts/:accountID") { _, context in
      let (id, principal, rights) = try await account(context)
      try await desk.remove(id, by: principal, rights: rights)
      return Response.noContent
    }
    router.get("/v1/accounts/:accountID/logins") { _, context in
      let (id, _, rights) = try await account(context)
      return try Response.json(try await desk.logins(of: id, rights: rights))
    }
    router.delete("/v1/accounts/:accountID/logins") { _, context in
      let (id, principal, rights) = try await account(context)
      try await desk.endLogins(of: id, by: principal, rights: rights)
      return Response.noContent
    }
  }

  private func addCredentials(to router: some RouterMethods<HubRequestContext>) {
    router.post("/v1/accounts/:accountID/enrolment") { _, context in
      let (id, principal, rights) = try await account(context)
      try await admit(principal)
      return try Response.json(try await desk.renewKey(of: id, by: principal, rights: rights))
    }
    router.post("/v1/accounts/:accountID/password") { _, context in
      let (id, principal, rights) = try await account(context)
      try await admit(principal)
      return try Response.json(try await desk.resetPassword(of: id, by: principal, rights: rights))
    }
  }

  private func addCalls(to router: some RouterMethods<HubRequestContext>) {
    router.get("/v1/active-calls") { _, context in
      let rights = try await desk.rights(of: try context.principal)
      return try Response.json(try await desk.calls(rights: rights))
    }
    router.delete("/v1/active-calls/:sessionID") { _, context in
      let principal = try context.principal
      let rights = try await desk.rights(of: principal)
      guard let id = SessionID(try context.parameters.require("sessionID")) else { throw HubRefusal.sessionUnknown }
      try await desk.endCall(id, by: principal, rights: rights)
      return Response.noContent
    }
  }

  private func list(_ kind: UserKind?, _ request: Request, _ context: HubRequestContext) async throws -> Response {
    let rights = try await desk.rights(of: try context.principal)
    let parameters = request.uri.queryParameters
    var limit = AccountDesk.maximumListed
    if let text = parameters["limit"] {
      guard let number = Int(text), (1...AccountDesk.maximumListed).contains(number) else {
        throw HubRefusal.invalid(field: "limit", reason: "must be 1 to \(AccountDesk.maximumListed)")
      }
      limit = number
    }
    let search = parameters["search"].map(String.init)
    guard search.map({ $0.utf8.count <= Title.maximumBytes }) ?? true else {
      throw HubRefusal.invalid(field: "search", reason: "is longer than any title")
    }
    return try Response.json(try await desk.list(kind, search: search, limit: limit, rights: rights))
  }

  private func account(
    _ context: HubRequestContext
  ) async throws -> (id: String, principal: Principal, rights: AccountRights) {
    let (id, principal) = (try context.parameters.require("accountID"), try context.principal)
    return (id, principal, try await desk.rights(of: principal, on: id))
  }

  /// Counts a credential that is given.
  private func admit(_ principal: Principal) async throws {
    try await hub.backplane.admitToken(for: "accounts of \(principal.userID)")
  }
}
