public import TransportCrypto

/// Encryption of push messages (RFC 8291): only the browser that subscribed can read them, its push service cannot.
public struct PushEncryption: Sendable {
  /// Octets of a subscription's authentication secret.
  public static let authenticationSize = 16
  /// Messages are padded to the first of these that they fit into: octets with the delimiter.
  private static let paddedSizes = [1_024, 2_048, 3_072]
  /// The longest message, in octets.
  public static let longestMessage = 3_000

  private let crypto = OpenSSLCrypto()
  /// The browser's public key and authentication secret.
  private let publicKey: [UInt8]
  private let authentication: [UInt8]

  /// Nil unless `publicKey` is an uncompressed point on P-256 and `authentication` has 16 octets.
  public init?(publicKey: [UInt8], authentication: [UInt8]) {
    guard authentication.count == Self.authenticationSize, P256Key.isPublicKey(publicKey) else { return nil }
    (self.publicKey, self.authentication) = (publicKey, authentication)
  }

  /// Encrypts a message for the browser, padded, with a key and a salt for it alone.
  ///
  /// - Throws: for more than ``longestMessage`` octets.
  public func encrypt(_ message: [UInt8]) throws(TransportCryptoError) -> [UInt8] {
    guard message.count <= Self.longestMessage else { throw TransportCryptoError("the push message is too long") }
    let size = Self.paddedSizes.first { $0 > message.count } ?? 0
    return try encrypt(message, by: P256Key(), salt: randomOctets(16), paddedTo: size)
  }

  /// The same with everything that is random given.
  public func encrypt(
    _ message: [UInt8], by key: P256Key, salt: [UInt8], paddedTo size: Int = 0
  ) throws(TransportCryptoError) -> [UInt8] {
    let info = Array("WebPush: info\u{0}".utf8) + publicKey + key.publicKey
    let secret = crypto.hkdfSHA256(
      secret: try key.sharedSecret(with: publicKey), salt: authentication, info: info, byteCount: 32)
    return try EncryptedContent(secret: secret, salt: salt, keyID: key.publicKey).encrypt(message, paddedTo: size)
  }

  private func randomOctets(_ count: Int) -> [UInt8] {
    var octets: [UInt8] = []
    while octets.count < count {
      let value = crypto.randomUInt64()
      octets += (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return Array(octets.prefix(count))
  }
}
