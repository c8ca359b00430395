internal import HubCore
public import HubStore
internal import Signalling

/// The claims of a token by which whoever has it views one device, by WHEP: what a URL brings, since players send no
/// `Authorization` field. The invitation that it was made with is read at each request, so it can be revoked.
struct ViewLinkClaims: Codable {
  static let audience = "livesessions-whep"

  var aud = audience
  /// The invitation's id.
  var sub: String
  /// The device's user id.
  var device: String
  /// Seconds since 1970.
  var exp: Int64

  func isValid(at time: Int64) -> Bool { aud == Self.audience && time < exp }
}

extension TokenAuthority {
  /// The name of the token in a URL's query.
  static let viewLinkParameter = "token"

  /// The path of a link with its token, relative to the hub's address; nil where the invitation is not for views.
  public func viewLink(for record: InvitationRecord) throws -> String? {
    guard record.isForViews, case .device(let device) = record.target else { return nil }
    let claims = ViewLinkClaims(sub: record.id, device: device, exp: record.until / 1_000)
    return "\(WHEPRoutes.path)/\(device)?\(Self.viewLinkParameter)=\(try sign(claims))"
  }

  /// The claims of a genuine link's token that has not run out, or nil.
  func viewLinkClaims(of token: String) -> ViewLinkClaims? {
    guard let claims = genuineClaims(of: token, as: ViewLinkClaims.self), claims.isValid(at: Self.now) else {
      return nil
    }
    return claims
  }
}
