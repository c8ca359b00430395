internal import HubCore
internal import Hummingbird

/// Tells the registry whose connections and tokens are members': behind ``AuthenticationMiddleware``. Those without an account are
/// anonymous, since anybody can be one.
struct MemberConnectionMiddleware: RouterMiddleware {
  let connections: ConnectionRegistry

  func handle(
    _ request: Request, context: HubRequestContext, next: NextResponder
  ) async throws -> Response {
    if try context.principal.role != .anonymous {
      connections.noteMember(context.channel)
      if let token = request.bearerToken { connections.note(token: token, of: try context.principal.userID) }
    }
    return try await next(request, context)
  }
}
