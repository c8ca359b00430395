internal import HubCore
internal import Hummingbird

/// Marks authenticated connections and tokens in the registry: behind ``AuthenticationMiddleware``. Those without an
/// account are anonymous, since they need no credentials.
struct AuthenticatedConnectionMiddleware: RouterMiddleware {
  let connections: ConnectionRegistry

  func handle(
    _ request: Request, context: HubRequestContext, next: NextResponder
  ) async throws -> Response {
    if try context.principal.role != .anonymous {
      connections.noteAuthenticated(context.channel)
      if let token = request.bearerToken { connections.note(token: token, of: try context.principal.userID) }
    }
    return try await next(request, context)
  }
}
