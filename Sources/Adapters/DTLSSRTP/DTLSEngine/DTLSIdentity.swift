import COpenSSL

/// A self-signed ECDSA P-256 certificate with its private key.
///
/// One is made per device and kept: browsers know the device by its fingerprint alone, so the certificate names
/// no one and never expires. Immutable after `init`; OpenSSL's reference counts are atomic, so threads may share it.
public final class DTLSIdentity: @unchecked Sendable {
  let certificate: OpaquePointer
  let key: OpaquePointer

  /// Makes a new key and certificate.
  public init() throws(DTLSEngineError) {
    guard let key = ls_make_p256_key() else { throw takeOpenSSLError("EVP_EC_gen") }
    guard let certificate = Self.makeCertificate(key) else {
      EVP_PKEY_free(key)
      throw takeOpenSSLError("X509_sign")
    }
    self.key = key
    self.certificate = certificate
  }

  /// Reads a certificate and its private key from PEM text.
  public init(pem: [UInt8]) throws(DTLSEngineError) {
    let certificate = Self.read(pem) { PEM_read_bio_X509($0, nil, nil, nil) }
    let key = Self.read(pem) { PEM_read_bio_PrivateKey($0, nil, Self.refusePassphrase, nil) }
    guard let certificate, let key, X509_check_private_key(certificate, key) == 1 else {
      X509_free(certificate)
      EVP_PKEY_free(key)
      ERR_clear_error()
      throw .badIdentity
    }
    self.certificate = certificate
    self.key = key
  }

  deinit {
    X509_free(certificate)
    EVP_PKEY_free(key)
  }

  /// The private key and the certificate as PEM text. It is secret: keep it where only the daemon can read.
  public func makePEM() throws(DTLSEngineError) -> [UInt8] {
    guard let bio = ls_make_memory_bio() else { throw takeOpenSSLError("BIO_new") }
    defer { BIO_free(bio) }
    guard PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil) == 1,
      PEM_write_bio_X509(bio, certificate) == 1
    else { throw takeOpenSSLError("PEM_write_bio") }
    var data: UnsafeMutablePointer<CChar>?
    let count = ls_bio_memory(bio, &data)
    return Array(UnsafeRawBufferPointer(start: data, count: count))
  }
}

extension DTLSIdentity {
  /// The board's clock may say 1970, so validity does not depend on it.
  private static let notBefore = "20000101000000Z"
  private static let notAfter = "20991231235959Z"
  private static let commonName = Array("WebRTC".utf8)

  private static func makeCertificate(_ key: OpaquePointer) -> OpaquePointer? {
    guard let certificate = X509_new() else { return nil }
    var serial: Int32 = 0
    let status = withUnsafeMutableBytes(of: &serial) {
      RAND_bytes($0.bindMemory(to: UInt8.self).baseAddress, CInt($0.count))
    }
    let name = X509_get_subject_name(certificate)
    guard status == 1, X509_set_version(certificate, 2) == 1,
      ls_set_serial_number(certificate, Int(serial & .max)) == 1,
      ASN1_TIME_set_string(X509_getm_notBefore(certificate), notBefore) == 1,
      ASN1_TIME_set_string(X509_getm_notAfter(certificate), notAfter) == 1,
      X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, commonName, CInt(commonName.count), -1, 0) == 1,
      X509_set_issuer_name(certificate, name) == 1, X509_set_pubkey(certificate, key) == 1,
      X509_sign(certificate, key, EVP_sha256()) > 0
    else {
      X509_free(certificate)
      return nil
    }
    return certificate
  }

  private static func read(_ pem: [UInt8], _ body: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
    guard let bio = ls_make_memory_bio_of(pem, pem.count) else { return nil }
    defer { BIO_free(bio) }
    return body(bio)
  }

  /// A daemon cannot be asked for a passphrase: an encrypted key is refused instead of waiting at a terminal.
  private static let refusePassphrase:
    @convention(c) (UnsafeMutablePointer<CChar>?, CInt, CInt, UnsafeMutableRawPointer?) -> CInt =
      { _, _, _, _ in -1 }
}
