public import Signalling

/// The claims of a token that authenticates requests to the hub.
public struct AccessClaims: Codable, Sendable, Equatable {
  /// Tells access tokens from session tokens, so that neither passes for the other.
  public static let audience = "livesessions-hub"

  public var sub: String
  public var aud: String
  public var role: UserRole
  public var iat: Int64
  public var exp: Int64
  public var jti: String
  /// For anonymous users alone, whom no store knows.
  public var title: String?
  public var groups: [String]?

  public init(
    userID: String, role: UserRole, issuedAt: Int64, lifetime: Int64, tokenID: String, title: String? = nil,
    groups: [String]? = nil
  ) {
    sub = userID
    aud = Self.audience
    self.role = role
    iat = issuedAt
    exp = issuedAt + lifetime
    jti = tokenID
    self.title = title
    self.groups = groups
  }

  /// Whether the claims hold at `time` (seconds since 1970); the signature is somebody else's business.
  public func isValid(at time: Int64) -> Bool {
    aud == Self.audience && time < exp && iat <= time + 60
  }
}

/// The claims of a token that says what its bearer may do in one session.
public struct SessionClaims: Codable, Sendable, Equatable {
  public static let audience = "livesessions-session"

  public var sub: String
  public var aud: String
  public var role: SessionRole
  public var session_id: String
  public var iat: Int64
  public var exp: Int64
  public var jti: String

  public init(
    userID: String, role: SessionRole, sessionID: String, issuedAt: Int64, lifetime: Int64, tokenID: String
  ) {
    sub = userID
    aud = Self.audience
    self.role = role
    session_id = sessionID
    iat = issuedAt
    exp = issuedAt + lifetime
    jti = tokenID
  }
}
