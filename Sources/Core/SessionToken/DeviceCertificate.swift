public import TransportCrypto

/// The hub's certificate that an Ed25519 key is a device's own: a JWT as ``SessionToken`` is one, with the key in `cnf`
/// (RFC 7800 §3.2).
public struct DeviceCertificate: Sendable, Equatable {
  /// Distinguishes these tokens from all others.
  public static let audience = "livesessions-device-key"

  /// Whose key it is.
  public let userID: String
  /// The device's title when the hub certified it.
  public let title: String
  /// 32 octets.
  public let publicKey: [UInt8]
  /// Seconds since 1970.
  public let issuedAt: Int64
  public let expiresAt: Int64

  /// Reads a certificate and verifies it with the hub's published keys, of which the newest need not have signed it.
  ///
  /// - Throws: ``SessionTokenError``, whose description completes "the certificate …".
  public init(
    _ text: String, keys: SigningKeySet, _ verifier: some SignatureVerifying
  ) throws(SessionTokenError) {
    let token = try SessionToken(text)
    guard let key = keys[token.keyID] else { throw .badSignature }
    try self.init(try token.genuineClaims(with: key, verifier))
  }

  private init(_ claims: JSONValue) throws(SessionTokenError) {
    guard claims.string("aud") == Self.audience else { throw .otherAudience }
    guard let userID = claims.string("sub"), let issuedAt = claims.integer("iat"),
      let expiresAt = claims.integer("exp"),
      issuedAt < expiresAt, let jwk = claims.object("cnf")?.object("jwk"), jwk.string("kty") == "OKP",
      jwk.string("crv") == "Ed25519", let key = jwk.string("x").flatMap({ Base64URL.decode($0.utf8) }), key.count == 32
    else { throw .incomplete }
    self.userID = userID
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    title = claims.string("title") ?? ""
    publicKey = key
  }
}
