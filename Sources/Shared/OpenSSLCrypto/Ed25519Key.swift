import COpenSSL
public import TransportCrypto

/// An Ed25519 key pair (RFC 8032).
///
/// Immutable after `init`. Each signature has its own context, and OpenSSL's keys may be used by several threads that
/// do not change them (openssl-threads(7)).
public final class Ed25519Key: MessageSigning, @unchecked Sendable {
  private let key: OpaquePointer
  /// The 32 octets of the public half.
  public let publicKey: [UInt8]

  /// Makes a new key.
  public convenience init() throws(TransportCryptoError) {
    guard let key = ls_make_ed25519_key() else { throw takeCryptoError("EVP_PKEY_Q_keygen") }
    try self.init(owning: key)
  }

  /// Reads a private key from PEM text (PKCS #8, as `openssl genpkey -algorithm ed25519` writes it).
  public convenience init(pem: [UInt8]) throws(TransportCryptoError) {
    guard let bio = ls_make_memory_bio_of(pem, pem.count) else { throw takeCryptoError("BIO_new") }
    defer { BIO_free(bio) }
    guard let key = PEM_read_bio_PrivateKey(bio, nil, Self.refusePassphrase, nil) else {
      throw takeCryptoError("PEM_read_bio_PrivateKey")
    }
    guard EVP_PKEY_get_id(key) == EVP_PKEY_ED25519 else {
      EVP_PKEY_free(key)
      throw TransportCryptoError("the key is no Ed25519 key")
    }
    try self.init(owning: key)
  }

  /// Takes the 32 octets of a private key (RFC 8032 §5.1.5).
  public convenience init(privateKey octets: [UInt8]) throws(TransportCryptoError) {
    guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, octets, octets.count) else {
      throw takeCryptoError("EVP_PKEY_new_raw_private_key")
    }
    try self.init(owning: key)
  }

  private init(owning key: OpaquePointer) throws(TransportCryptoError) {
    self.key = key
    var count = 32
    publicKey = [UInt8](unsafeUninitializedCapacity: 32) { buffer, filled in
      filled = EVP_PKEY_get_raw_public_key(key, buffer.baseAddress, &count) == 1 ? count : 0
    }
    // From here on the object lives, and its end frees the key.
    guard publicKey.count == 32 else { throw takeCryptoError("EVP_PKEY_get_raw_public_key") }
  }

  deinit { EVP_PKEY_free(key) }

  /// The 32 octets of the private key. They are secret.
  public func privateKeyOctets() throws(TransportCryptoError) -> [UInt8] {
    var count = 32
    let octets = [UInt8](unsafeUninitializedCapacity: 32) { buffer, filled in
      filled = EVP_PKEY_get_raw_private_key(key, buffer.baseAddress, &count) == 1 ? count : 0
    }
    guard octets.count == 32 else { throw takeCryptoError("EVP_PKEY_get_raw_private_key") }
    return octets
  }

  /// The private key as PEM text. It is secret: keep it where only its owner can read.
  public func makePEM() throws(TransportCryptoError) -> [UInt8] {
    guard let bio = ls_make_memory_bio() else { throw takeCryptoError("BIO_new") }
    defer { BIO_free(bio) }
    guard PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil) == 1 else {
      throw takeCryptoError("PEM_write_bio_PKCS8PrivateKey")
    }
    var data: UnsafeMutablePointer<CChar>?
    let count = ls_bio_memory(bio, &data)
    return Array(UnsafeRawBufferPointer(start: data, count: count))
  }

  /// The 64 octets of a message's signature.
  public func signature(of message: RawSpan) throws(TransportCryptoError) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { throw takeCryptoError("EVP_MD_CTX_new") }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1 else { throw takeCryptoError("EVP_DigestSignInit") }
    let signature = message.withUnsafeBytes { message in
      [UInt8](unsafeUninitializedCapacity: 64) { buffer, filled in
        var count = 64
        let status = EVP_DigestSign(
          context, buffer.baseAddress, &count, message.bindMemory(to: UInt8.self).baseAddress, message.count)
        filled = status == 1 ? count : 0
      }
    }
    guard signature.count == 64 else { throw takeCryptoError("EVP_DigestSign") }
    return signature
  }

  /// A daemon cannot be asked for a passphrase: an encrypted key is refused instead of waiting at a terminal.
  private static let refusePassphrase:
    @convention(c) (UnsafeMutablePointer<CChar>?, CInt, CInt, UnsafeMutableRawPointer?) -> CInt = { _, _, _, _ in -1 }
}

/// The thread's oldest OpenSSL error as text; clears the queue.
func takeCryptoError(_ function: String) -> TransportCryptoError {
  TransportCryptoError("\(function): \(String(cString: ls_error_text(ls_take_error())))")
}
