internal import HTTPTypes
internal import HubCore
internal import Hummingbird

/// Admits requests with a valid bearer token, which may come in the `Authorization` header alone: what stands in a
/// URL ends up in histories and logs. Files of an archive are read by the cookie of ``ArchiveView``, too. Guests get no further
/// than to what is for them. Marks connections and tokens of accounts in the registry; anonymous clients need no credentials.
struct AuthenticationMiddleware: RouterMiddleware {
  let tokens: TokenAuthority
  let principals: PrincipalCache
  let connections: ConnectionRegistry
  var admitsGuests = false

  func handle(
    _ request: Request, context: HubRequestContext, next: NextResponder
  ) async throws -> Response {
    guard let claims = await claims(of: request), let principal = try await principals.principal(for: claims)
    else { throw HubRefusal.notAuthenticated }
    guard admitsGuests || principal.role != .guest else {
      throw HubRefusal.notAllowed("guests may call what they are invited to, and nothing else")
    }
    note(principal, request, context)
    return try await next(request, context.authenticated(as: Identity(principal: principal, claims: claims)))
  }

  private func note(_ principal: Principal, _ request: Request, _ context: HubRequestContext) {
    guard principal.role != .anonymous else { return }
    connections.noteAuthenticated(context.channel)
    if let token = request.bearerToken { connections.note(token: token, of: principal.userID) }
  }

  private func claims(of request: Request) async -> AccessClaims? {
    if let token = request.bearerToken { return await tokens.accessClaims(of: token) }
    guard let token = ArchiveView.token(of: request) else { return nil }
    return tokens.viewClaims(of: token, path: request.uri.path)
  }
}

extension Request {
  var bearerToken: String? { headers[.authorization]?.bearerToken }
}

extension String {
  /// The token that an `Authorization` field brings (RFC 6750, section 2.1).
  var bearerToken: String? {
    let scheme = "bearer "
    return prefix(scheme.count).lowercased() == scheme ? String(dropFirst(scheme.count)) : nil
  }
}
