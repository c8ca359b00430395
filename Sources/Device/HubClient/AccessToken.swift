import FoundationEssentials
import Signalling

/// A bearer token with the time after which it is to be renewed.
struct AccessToken: Sendable {
  var userID: String
  var role: String
  var text: String
  /// The title under which the hub shows the device; nil from a hub that does not say.
  var userTitle: String?
  var renewAfter: ContinuousClock.Instant
  var endsAt: ContinuousClock.Instant

  /// A token that has just been issued.
  ///
  /// The device's wall clock is not trusted (many boards boot in 1970), so the lifetime is what the hub's own clock
  /// says: `exp` minus `iat` of the token. Without those it is renewed after five minutes; the hub's 401 is the
  /// authority in any case.
  init(_ response: LoginResponse, now: ContinuousClock.Instant) {
    userID = response.userID
    role = response.role
    text = response.accessToken
    let lifetime = Self.lifetime(ofJWT: response.accessToken) ?? .seconds(300)
    userTitle = response.userTitle
    renewAfter = now + lifetime * 0.8
    endsAt = now + lifetime
  }

  private struct Claims: Decodable {
    var iat: Double
    var exp: Double
  }

  static func lifetime(ofJWT token: String) -> Duration? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    var base64 = parts[1].map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    base64 += Array(repeating: "=", count: (4 - base64.count % 4) % 4)
    guard let payload = Data(base64Encoded: String(base64)),
      let claims = try? JSONDecoder().decode(Claims.self, from: payload),
      claims.exp > claims.iat, claims.exp - claims.iat < 366 * 86_400
    else { return nil }
    return .seconds(claims.exp - claims.iat)
  }
}
