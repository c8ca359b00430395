internal import HTTPTypes
internal import Hummingbird

/// Headers that every response carries, errors included; with them goes the length of a body that HEAD leaves out.
struct SecurityHeadersMiddleware: RouterMiddleware {
  /// Scripts, styles and connections from this origin alone; a recording plays from a `blob:` of the page's own.
  private static let contentSecurityPolicy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
    "media-src 'self' blob: mediastream:", "connect-src 'self'", "font-src 'self'", "manifest-src 'self'",
    "worker-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  ].joined(separator: "; ")

  private static let fields: [(HTTPField.Name, String)] = [
    ("Content-Security-Policy", contentSecurityPolicy),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(self), microphone=(self), geolocation=(self), display-capture=()"),
  ].compactMap { name, value in HTTPField.Name(name).map { ($0, value) } }

  func handle(
    _ request: Request, context: HubRequestContext, next: NextResponder
  ) async throws -> Response {
    var response = try await next(request, context)
    for (name, value) in Self.fields { response.headers[name] = value }
    if request.method == .head, response.headers[.contentLength] == nil, let length = response.body.contentLength {
      response.headers[.contentLength] = "\(length)"
    }
    return response
  }
}
