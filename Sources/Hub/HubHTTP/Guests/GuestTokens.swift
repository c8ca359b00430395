internal import Foundation
internal import HubCore
internal import Signalling

/// The claims of a challenge that a guest's browser answers.
struct GuestChallenge: Codable {
  static let audience = "livesessions-guest"
  /// Seconds.
  static let lifetime: Int64 = 120

  var sub: String
  var aud = audience
  var exp: Int64
  var jti: String
}

extension TokenAuthority {
  /// A challenge that every node knows as the hub's.
  func challenge(of guestID: String) throws -> String {
    try sign(GuestChallenge(sub: guestID, exp: Self.now + GuestChallenge.lifetime, jti: UUID().uuidString))
  }

  func isChallenge(_ text: String, of guestID: String) -> Bool {
    guard let claims = genuineClaims(of: text, as: GuestChallenge.self) else { return false }
    return claims.aud == GuestChallenge.audience && claims.sub == guestID && Self.now < claims.exp
  }

  /// A guest's token, which ends with the invitation at the latest.
  ///
  /// - Parameter end: in milliseconds since 1970.
  func grantGuest(_ principal: Principal, until end: Int64) throws -> LoginResponse {
    let now = Self.now
    let lifetime = max(1, min(GuestService.tokenLifetime, end / 1_000 - now))
    let claims = AccessClaims(
      userID: principal.userID, role: .guest, issuedAt: now, lifetime: lifetime, tokenID: UUID().uuidString,
      loginID: principal.userID)
    return LoginResponse(
      userID: principal.userID, accessToken: try sign(claims), expiresAt: claims.exp * 1_000,
      role: UserRole.guest.rawValue, userTitle: principal.userTitle, expiresIn: lifetime)
  }
}
