public import Signalling

/// The claims of a token that authenticates requests to the hub.
public struct AccessClaims: Codable, Sendable, Equatable {
  /// Distinguishes access tokens from session tokens, so that neither passes for the other.
  public static let audience = "livesessions-hub"
  /// The generation of an account's first credential.
  public static let firstGeneration: Int64 = 1

  public var sub: String
  public var aud: String
  public var role: UserRole
  public var iat: Int64
  public var exp: Int64
  public var jti: String
  /// When the user logged in, in seconds since 1970: a renewed token carries it on.
  public var auth_time: Int64?
  /// The account's `credentialGeneration` when the user logged in; absent: the first.
  public var gen: Int64?
  /// The login that the token and those renewed from it belong to; absent in tokens of earlier versions.
  public var sid: String?
  /// Which of the login's tokens this one is; absent: the first.
  public var num: Int64?
  /// For anonymous users alone, whom no store knows.
  public var title: String?
  public var groups: [String]?

  public init(
    userID: String, role: UserRole, issuedAt: Int64, lifetime: Int64, tokenID: String, loggedInAt: Int64? = nil,
    generation: Int64? = nil, loginID: String? = nil, number: Int64? = nil, title: String? = nil,
    groups: [String]? = nil
  ) {
    sub = userID
    aud = Self.audience
    self.role = role
    iat = issuedAt
    exp = issuedAt + lifetime
    jti = tokenID
    auth_time = loggedInAt ?? issuedAt
    gen = generation
    sid = loginID
    num = number
    self.title = title
    self.groups = groups
  }

  /// Whether the claims hold at `time` (seconds since 1970); the signature is checked elsewhere.
  public func isValid(at time: Int64) -> Bool {
    isGenuine(at: time) && time < exp
  }

  /// As ``isValid(at:)``, but also of a token that ran out.
  public func isGenuine(at time: Int64) -> Bool {
    aud == Self.audience && iat <= time + 60
  }

  public var loggedInAt: Int64 { auth_time ?? iat }

  public var generation: Int64 { gen ?? Self.firstGeneration }

  /// Names the login. Each token of an earlier version is the first of a login of its own, since hubs of those versions leave the
  /// number out where they renew one.
  public var loginID: String { sid ?? "\(sub).\(iat)" }

  public var number: Int64 { num ?? 0 }
}

/// The claims of a token that says only that its bearer has logged in as this user before.
public struct ClientClaims: Codable, Sendable, Equatable {
  public static let audience = "livesessions-client"
  /// How long a client stays known, in seconds.
  public static let lifetime: Int64 = 180 * 86_400

  public var sub: String
  public var aud: String
  public var iat: Int64
  public var exp: Int64
  /// The client's own name, which its later tokens keep.
  public var jti: String

  public init(userID: String, clientID: String, issuedAt: Int64) {
    sub = userID
    aud = Self.audience
    iat = issuedAt
    exp = issuedAt + Self.lifetime
    jti = clientID
  }

  public func isValid(at time: Int64) -> Bool {
    aud == Self.audience && time < exp && iat <= time + 60
  }
}

/// The claims of a token by which a login reads the files of one archive: what a cookie brings for a `<video>` element,
/// which sends no `Authorization` field.
public struct ViewClaims: Codable, Sendable, Equatable {
  public static let audience = "livesessions-view"

  public var aud: String
  public var exp: Int64
  /// The path of the archive whose files may be read, without a slash at its end.
  public var path: String
  /// Those of the login for which it was made: it ends with that login.
  public var login: AccessClaims

  public init(_ login: AccessClaims, path: String, expiresAt: Int64) {
    aud = Self.audience
    exp = expiresAt
    self.path = path
    self.login = login
  }

  /// Whether it is good for reading what a path names, at a time in seconds since 1970.
  public func permits(_ wanted: String, at time: Int64) -> Bool {
    aud == Self.audience && time < exp && wanted.hasPrefix(path + "/")
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
