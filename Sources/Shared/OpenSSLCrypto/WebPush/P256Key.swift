import COpenSSL
public import TransportCrypto

/// A key pair on the curve P-256 (FIPS 186-5), for ECDH and for ES256 (RFC 7518 §3.4).
///
/// Immutable after `init`. Each operation has its own context, and OpenSSL's keys may be used by several threads that do
/// not change them (openssl-threads(7)).
public final class P256Key: @unchecked Sendable {
  /// Octets of a public key: an uncompressed point (SEC 1 §2.3.3).
  public static let publicKeySize = 65
  /// Octets of a private key.
  public static let privateKeySize = 32

  private let key: OpaquePointer
  /// The 65 octets of the public half.
  public let publicKey: [UInt8]

  /// Makes a new key.
  public convenience init() throws(TransportCryptoError) {
    guard let key = ls_make_p256_key() else { throw takeCryptoError("EVP_EC_gen") }
    try self.init(owning: key)
  }

  /// Takes the 32 octets of a private key; the public one follows from it.
  public convenience init(privateKey octets: [UInt8]) throws(TransportCryptoError) {
    guard octets.count == Self.privateKeySize else { throw TransportCryptoError("a private key has 32 octets") }
    guard let key = ls_p256_pair_of(octets) else { throw takeCryptoError("EVP_PKEY_fromdata") }
    try self.init(owning: key)
  }

  private init(owning key: OpaquePointer) throws(TransportCryptoError) {
    self.key = key
    publicKey = [UInt8](unsafeUninitializedCapacity: Self.publicKeySize) { buffer, filled in
      filled = ls_p256_public_octets(key, buffer.baseAddress) == 1 ? Self.publicKeySize : 0
    }
    // From here on the object lives, and its end frees the key.
    guard publicKey.count == Self.publicKeySize else { throw takeCryptoError("EVP_PKEY_get_octet_string_param") }
  }

  deinit { EVP_PKEY_free(key) }

  /// The 32 octets of the private key. They are secret.
  public func privateKeyOctets() throws(TransportCryptoError) -> [UInt8] {
    let octets = [UInt8](unsafeUninitializedCapacity: Self.privateKeySize) { buffer, filled in
      filled = ls_p256_private_octets(key, buffer.baseAddress) == 1 ? Self.privateKeySize : 0
    }
    guard octets.count == Self.privateKeySize else { throw takeCryptoError("EVP_PKEY_get_bn_param") }
    return octets
  }

  /// Whether these octets are an uncompressed point on the curve.
  public static func isPublicKey(_ octets: [UInt8]) -> Bool {
    guard let key = try? makePublicKey(octets) else { return false }
    EVP_PKEY_free(key)
    return true
  }

  /// The 32 octets that this key and another's public half have in common (ECDH, SP 800-56A §5.7.1.2).
  ///
  /// - Parameter publicKey: 65 octets of the other side.
  /// - Throws: where they are no point on the curve.
  public func sharedSecret(with publicKey: [UInt8]) throws(TransportCryptoError) -> [UInt8] {
    let peer = try Self.makePublicKey(publicKey)
    defer { EVP_PKEY_free(peer) }
    guard let context = EVP_PKEY_CTX_new(key, nil) else { throw takeCryptoError("EVP_PKEY_CTX_new") }
    defer { EVP_PKEY_CTX_free(context) }
    guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer) == 1 else {
      throw takeCryptoError("EVP_PKEY_derive_set_peer")
    }
    let secret = [UInt8](unsafeUninitializedCapacity: 32) { buffer, filled in
      var count = 32
      filled = EVP_PKEY_derive(context, buffer.baseAddress, &count) == 1 ? count : 0
    }
    guard secret.count == 32 else { throw takeCryptoError("EVP_PKEY_derive") }
    return secret
  }

  /// ECDSA with SHA-256 over a message: the 64 octets of r and s.
  public func signature(of message: [UInt8]) throws(TransportCryptoError) -> [UInt8] {
    let der = try derSignature(of: message)
    let signature = [UInt8](unsafeUninitializedCapacity: 64) { buffer, filled in
      filled = ls_p256_raw_signature(der, der.count, buffer.baseAddress) == 1 ? 64 : 0
    }
    guard signature.count == 64 else { throw takeCryptoError("d2i_ECDSA_SIG") }
    return signature
  }

  private func derSignature(of message: [UInt8]) throws(TransportCryptoError) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { throw takeCryptoError("EVP_MD_CTX_new") }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else {
      throw takeCryptoError("EVP_DigestSignInit")
    }
    let capacity = Int(clamping: EVP_PKEY_get_size(key))
    let der = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
      var count = capacity
      let status = EVP_DigestSign(context, buffer.baseAddress, &count, message, message.count)
      filled = status == 1 ? count : 0
    }
    guard !der.isEmpty else { throw takeCryptoError("EVP_DigestSign") }
    return der
  }

  /// To be freed by the caller.
  private static func makePublicKey(_ octets: [UInt8]) throws(TransportCryptoError) -> OpaquePointer {
    guard octets.count == publicKeySize, octets[0] == 4 else {
      throw TransportCryptoError("a public key is an uncompressed point of 65 octets")
    }
    guard let key = ls_p256_key_of(octets, octets.count, nil) else { throw takeCryptoError("EVP_PKEY_fromdata") }
    return key
  }
}
