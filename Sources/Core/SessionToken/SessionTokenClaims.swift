public import Signalling

/// What a genuine token says: who may do what in which session, and when it was said.
public struct SessionTokenClaims: Sendable, Equatable {
  /// Distinguishes session tokens from access tokens, so that neither passes for the other.
  public static let audience = "livesessions-session"
  /// Seconds by which the hub's clock and the device's may differ.
  public static let tolerance: Int64 = 120

  public let userID: String
  public let role: SessionRole
  public let sessionID: String
  /// Seconds since 1970.
  public let issuedAt: Int64
  public let expiresAt: Int64

  init(_ claims: JSONValue) throws(SessionTokenError) {
    guard claims.string("aud") == Self.audience else { throw .otherAudience }
    guard let userID = claims.string("sub"), let sessionID = claims.string("session_id"),
      let issuedAt = claims.integer("iat"), let expiresAt = claims.integer("exp"), let role = claims.string("role")
    else { throw .incomplete }
    guard let role = SessionRole(rawValue: role) else { throw .unknownRole }
    self.userID = userID
    self.role = role
    self.sessionID = sessionID
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
  }

  /// The role of `userID` in the session.
  ///
  /// - Parameter time: seconds since 1970; nil while the wall clock is untrusted. Then neither `iat` nor `exp`
  ///   can be judged, and a token is as fresh as its session: the id is new with each call, and the hub reports calls
  ///   over its own authenticated connection.
  public func role(of userID: String, in sessionID: String, at time: Int64?) throws(SessionTokenError) -> SessionRole {
    guard self.sessionID == sessionID else { throw .otherSession }
    guard self.userID == userID else { throw .otherUser }
    guard issuedAt < expiresAt else { throw .incomplete }
    guard let time else { return role }
    guard issuedAt.saturatingSubtract(time) <= Self.tolerance else { throw .notYetIssued }
    guard time.saturatingSubtract(expiresAt) < Self.tolerance else { throw .expired }
    return role
  }
}

extension Int64 {
  /// Times of a token may be any number.
  fileprivate func saturatingSubtract(_ other: Int64) -> Int64 {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return overflows ? (self < other ? .min : .max) : difference
  }
}
