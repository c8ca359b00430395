internal import HTTPTypes
internal import Hummingbird

/// Lets pages of `allowed_origins` use WHEP, refusals among the answers: ``HostOriginCheck`` has let no other page come so
/// far. No cookie is good for it, so no credentials are allowed.
struct CrossOriginHeaders: RouterMiddleware {
  private static let methods = "POST, PATCH, DELETE, OPTIONS"
  private static let requestFields = "Authorization, Content-Type, If-Match"
  private static let exposed = "Location, ETag, Link, Accept-Patch, Retry-After"

  func handle(
    _ request: Request, context: HubRequestContext, next: NextResponder
  ) async throws -> Response {
    var response = try await next(request, context)
    guard request.uri.path.hasPrefix(WHEPRoutes.path + "/") else { return response }
    if request.method == .options { response.headers[.acceptPost] = WHEPRoutes.offerType }
    guard let origin = request.headers[.origin] else { return response }
    response.headers[.accessControlAllowOrigin] = origin
    response.headers[.accessControlExposeHeaders] = Self.exposed
    response.headers[.vary] = "Origin"
    guard request.method == .options else { return response }
    response.headers[.accessControlAllowMethods] = Self.methods
    response.headers[.accessControlAllowHeaders] = Self.requestFields
    response.headers[.accessControlMaxAge] = "600"
    return response
  }
}

extension HTTPField.Name {
  static let acceptPost = Self("Accept-Post")!
  static let acceptPatch = Self("Accept-Patch")!
  static let link = Self("Link")!
}
