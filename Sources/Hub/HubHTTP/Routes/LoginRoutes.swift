internal import Foundation
internal import HTTPTypes
internal import HubCore
internal import HubStore
internal import Hummingbird
internal import Signalling

/// `POST /v1/login`.
struct LoginRoutes {
  let hub: Hub
  let store: any HubStore
  let passwords: PasswordLogins
  let authenticator: Authenticator
  let tokens: TokenAuthority
  let admission: LoginRateLimiter
  let allowsAnonymous: Bool
  let logins: LoginService

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.post("/v1/login") { request, context in
      let login = try await request.decode(LoginRequest.self)
      guard login.userTitle.utf8.count <= 128 else { throw HubRefusal.badCredentials }
      return Response.json(try await logged(login, from: LoginRecord.Origin(request, context)))
    }
  }

  private func logged(_ login: LoginRequest, from origin: LoginRecord.Origin) async throws -> LoginResponse {
    do {
      return try await answer(login, from: origin)
    } catch HubRefusal.badCredentials {
      logins.noteFailure(
        of: login.password == nil ? nil : try? await store.user(title: login.userTitle), from: origin)
      throw HubRefusal.badCredentials
    }
  }

  private func answer(_ login: LoginRequest, from origin: LoginRecord.Origin) async throws -> LoginResponse {
    switch (login.password, login.enrolmentKey) {
    case (let password?, nil):
      guard password.utf8.count <= PasswordLogins.maximumPasswordBytes else { throw HubRefusal.badCredentials }
      return try await passwords.logIn(login, password: password, from: origin)
    case (nil, let key?):
      // 256 bits cannot be guessed, so there is nothing to slow down, and no lockout to abuse.
      guard let device = try await authenticator.device(enrolmentKey: key) else { throw HubRefusal.badCredentials }
      try admission.admit(.login, of: device.id)
      return try await tokens.grantAccess(to: device.principal, generation: device.credentialGeneration)
    case (nil, nil):
      return try await tokens.grantAccess(to: anonymous(title: login.userTitle, from: origin.address), generation: nil)
    case (_?, _?):
      throw HubRefusal.invalid(field: "password, enrolmentKey", reason: "give one of them, not both")
    }
  }

  private func anonymous(title: String, from address: String) async throws -> Principal {
    guard allowsAnonymous else { throw HubRefusal.badCredentials }
    let title = try enforced(title)
    try await hub.backplane.admitToken(for: "address \(address)")
    guard try await store.user(title: title) == nil else { throw HubRefusal.titleTaken }
    return Principal(
      userID: PrincipalCache.anonymousPrefix + UUID().uuidString.lowercased(), userTitle: title, role: .anonymous,
      kind: .person,
      groups: [Accounts.defaultGroup])
  }

  private func enforced(_ title: String) throws(HubRefusal) -> String {
    do {
      return try Title(enforcing: title).text
    } catch {
      throw .badTitle(error.description)
    }
  }
}

extension LoginRecord.Origin {
  /// Where a request comes from, and from which program.
  init(_ request: Request, _ context: HubRequestContext) {
    self.init(address: context.clientNetwork, client: request.headers[.userAgent] ?? "")
  }
}
