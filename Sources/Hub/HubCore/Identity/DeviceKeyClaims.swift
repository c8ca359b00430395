/// The claims of the hub's certificate that an Ed25519 key is a device's own (RFC 7800: `cnf` holds the key).
public struct DeviceKeyClaims: Codable, Sendable, Equatable {
  /// Distinguishes these tokens from all others.
  public static let audience = "livesessions-device-key"
  /// How long the certificate holds, in seconds: older recordings keep the one that was valid then.
  public static let lifetime: Int64 = 180 * 86_400

  /// A public key as a JWK (RFC 8037, section 2).
  public struct Key: Codable, Sendable, Equatable {
    public var kty = "OKP"
    public var crv = "Ed25519"
    public var x: String
  }

  public struct Confirmation: Codable, Sendable, Equatable {
    public var jwk: Key
  }

  public var sub: String
  /// The device's title when the certificate was issued.
  public var title: String
  public var aud: String
  public var cnf: Confirmation
  public var iat: Int64
  public var exp: Int64
  public var jti: String

  /// - Parameters:
  ///   - publicKey: base64url without padding.
  ///   - issuedAt: seconds since 1970.
  public init(_ device: Principal, publicKey: String, issuedAt: Int64, tokenID: String) {
    sub = device.userID
    title = device.userTitle
    aud = Self.audience
    cnf = Confirmation(jwk: Key(x: publicKey))
    iat = issuedAt
    exp = issuedAt + Self.lifetime
    jti = tokenID
  }
}
