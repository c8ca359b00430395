internal import HubCore
internal import HubStore
internal import Hummingbird

/// What a token does that is valid or ran out lately: `POST /v1/token` gets a fresh one for it, `DELETE /v1/login` ends its login.
struct TokenRoutes {
  let hub: Hub
  let tokens: TokenAuthority
  let principals: PrincipalCache
  let desk: LoginService
  /// How long after the login tokens can be renewed.
  let loginLifetime: Duration

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.post("/v1/token") { request, context in
      guard let token = request.bearerToken, let claims = await tokens.renewableClaims(of: token),
        let principal = try await principals.principal(for: claims), principal.role != .guest,
        try await mayGoOn(claims)
      else { throw HubRefusal.notAuthenticated }
      try await hub.backplane.admitToken(for: "user \(principal.userID)")
      return Response.json(
        try await desk.renew(claims, of: principal, from: LoginRecord.Origin(request, context)))
    }
    router.delete("/v1/login") { request, _ in try await end(request) }
  }

  private func end(_ request: Request) async throws -> Response {
    guard let token = request.bearerToken, let claims = await tokens.renewableClaims(of: token),
      let principal = try await principals.principal(for: claims), principal.role != .guest
    else { throw HubRefusal.notAuthenticated }
    try await desk.end(claims.loginID, of: claims.sub)
    return Response.noContent
  }

  /// The end of a login waits for the end of a call.
  private func mayGoOn(_ claims: AccessClaims) async throws -> Bool {
    guard TokenAuthority.now - claims.loggedInAt >= loginLifetime.components.seconds else { return true }
    return try await hub.backplane.isInSession(claims.sub)
  }
}
