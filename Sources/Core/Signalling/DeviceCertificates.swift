/// What a device asks the hub for: a certificate that a key is this device's.
public struct DeviceCertificateRequest: Codable, Sendable, Hashable {
  /// The Ed25519 public key of 32 octets, in base64url without padding.
  public var publicKey: String
  /// That the device has the private half: the key's signature over ``possession(of:userID:)``, in base64url without padding.
  public var possession: String

  /// Takes the values unchecked.
  public init(publicKey: String, possession: String) {
    self.publicKey = publicKey
    self.possession = possession
  }

  /// What is signed to show that the key is the user's own: no one gets a certificate for another's key, and a
  /// signature that was seen is of no use to another user.
  public static func possession(of publicKey: [UInt8], userID: String) -> [UInt8] {
    Array("LiveSessions evidence 1: possession".utf8) + [0] + publicKey + Array(userID.utf8)
  }
}

/// The hub's answer.
public struct DeviceCertificateResponse: Codable, Sendable, Hashable {
  /// A JWT (RFC 7519) in compact form, signed with one of the hub's published keys.
  public var certificate: String
  /// Milliseconds since 1970.
  public var expiresAt: Int64

  /// Takes the values unchecked.
  public init(certificate: String, expiresAt: Int64) {
    self.certificate = certificate
    self.expiresAt = expiresAt
  }
}
