/// Headers that every response carries, errors included.
enum SecurityHeaders {
  /// Scripts, styles and connections from this origin alone; a recording plays from a `blob:` of the page's own.
  private static let contentSecurityPolicy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
    "media-src 'self' blob: mediastream:", "connect-src 'self'", "font-src 'self'", "manifest-src 'self'",
    "worker-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  ].joined(separator: "; ")

  static let fields: [(String, String)] = [
    ("Content-Security-Policy", contentSecurityPolicy),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(self), microphone=(self), geolocation=(self), display-capture=()"),
  ]
}
