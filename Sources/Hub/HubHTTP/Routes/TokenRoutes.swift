internal import HubCore
internal import Hummingbird

/// `POST /v1/token`: a fresh access token for one that is valid or ran out lately.
struct TokenRoutes {
  let hub: Hub
  let tokens: TokenAuthority
  let principals: PrincipalCache
  /// How long after the login tokens can be renewed.
  let loginLifetime: Duration

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.post("/v1/token") { request, _ in
      guard let token = request.bearerToken, let claims = await tokens.renewableClaims(of: token),
        let principal = try await principals.principal(for: claims), try mayGoOn(claims)
      else { throw HubRefusal.notAuthenticated }
      try hub.mutate { state, now throws(HubRefusal) in
        try state.admitToken(for: "user \(principal.userID)", now: now)
      }
      return try Response.json(
        try await tokens.grantAccess(to: principal, generation: claims.gen, loggedInAt: claims.loggedInAt))
    }
  }

  /// The end of a login waits for the end of a call.
  private func mayGoOn(_ claims: AccessClaims) throws -> Bool {
    guard TokenAuthority.now - claims.loggedInAt >= loginLifetime.components.seconds else { return true }
    return try hub.mutate { state, _ throws(HubRefusal) in state.isInSession(claims.sub) }
  }
}
