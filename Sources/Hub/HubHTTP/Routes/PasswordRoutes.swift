internal import HubCore
internal import HubStore
internal import Hummingbird
internal import Signalling

/// `POST` and `PUT /v1/password`: one's own.
struct PasswordRoutes {
  let passwords: PasswordLogins

  /// What a one-time code does.
  func addChoice(to router: some RouterMethods<HubRequestContext>) {
    router.post("/v1/password") { request, context in
      let choice = try await request.decode(PasswordChoice.self)
      guard choice.userTitle.utf8.count <= 128, choice.code.utf8.count <= 64 else { throw HubRefusal.badCredentials }
      return Response.json(try await passwords.choose(choice, from: LoginRecord.Origin(request, context)))
    }
  }

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.put("/v1/password") { request, context in
      let principal = try context.principal
      guard principal.kind == .person, principal.role.hasAccount else {
        throw HubRefusal.notAllowed("only people with an account have a password")
      }
      let change = try await request.decode(PasswordChange.self)
      return Response.json(
        try await passwords.change(change, of: principal.userID, from: LoginRecord.Origin(request, context)))
    }
  }
}
