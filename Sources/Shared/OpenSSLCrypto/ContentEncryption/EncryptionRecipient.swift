import COpenSSL
import Glibc

/// The recipient of encrypted content: the owner of an RSA certificate's private key.
public struct EncryptionRecipient: Sendable {
  /// Issuer and serial number of the certificate, in DER, by which the owner's program finds the key.
  let identity: [UInt8]
  /// The certificate's key in DER (SubjectPublicKeyInfo).
  private let publicKey: [UInt8]

  /// Smaller keys are refused, as NIST SP 800-57 does.
  private static let smallestKey: CInt = 2_048

  /// - Parameters:
  ///   - pem: one certificate. Of several it would not be clear who is to read.
  ///   - now: seconds since 1970, by which the certificate must not have expired; nil where no clock can be trusted.
  public init(pem: [UInt8], now: Int64?) throws(ContentEncryptionError) {
    guard let input = ls_make_memory_bio_of(pem, pem.count) else { throw .last("BIO_new") }
    defer { BIO_free(input) }
    guard let certificate = PEM_read_bio_X509(input, nil, nil, nil) else { throw .noCertificate(takeErrorText()) }
    defer { X509_free(certificate) }
    if let second = PEM_read_bio_X509(input, nil, nil, nil) {
      X509_free(second)
      throw .severalCertificates
    }
    // The failed attempt to read a second one leaves an error in the thread's queue.
    ERR_clear_error()
    try Self.check(certificate, now: now)
    guard let key = X509_get0_pubkey(certificate), EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA,
      EVP_PKEY_get_bits(key) >= Self.smallestKey
    else { throw .otherKey }
    let serial = X509_get0_serialNumber(certificate)
    identity = DERWriter.sequence(
      try Self.encoded { i2d_X509_NAME(X509_get_issuer_name(certificate), $0) },
      try Self.encoded { i2d_ASN1_INTEGER(serial, $0) })
    publicKey = try Self.encoded { i2d_PUBKEY(key, $0) }
  }

  /// Whether the certificate is for encryption, and still valid (RFC 5280 §4.1.2.5, §4.2.1.3).
  private static func check(_ certificate: OpaquePointer, now: Int64?) throws(ContentEncryptionError) {
    let end = X509_get0_notAfter(certificate)
    if let now {
      var time = time_t(now)
      guard X509_cmp_time(end, &time) > 0 else { throw .expired(date(end)) }
    }
    // All ones where the certificate does not restrict the key's use.
    guard X509_get_key_usage(certificate) & UInt32(KU_KEY_ENCIPHERMENT) != 0 else { throw .notForEncryption }
  }

  /// The day of a time, as ISO 8601 has it.
  private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> String {
    var fields = tm()
    guard ASN1_TIME_to_tm(time, &fields) == 1 else { return "an unknown day" }
    let numbers = [Int(fields.tm_year) + 1_900, Int(fields.tm_mon) + 1, Int(fields.tm_mday)]
    return numbers.map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: "-")
  }

  private static func encoded(
    _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> CInt
  ) throws(ContentEncryptionError) -> [UInt8] {
    var output: UnsafeMutablePointer<UInt8>?
    let count = encode(&output)
    guard count > 0, let output else { throw .last("i2d") }
    defer { ls_free(output) }
    return Array(UnsafeBufferPointer(start: output, count: Int(count)))
  }

  /// Encrypts a content's key by RSAES-OAEP with SHA-256 (RFC 8017 §7.1).
  func wrap(_ key: [UInt8]) throws(ContentEncryptionError) -> [UInt8] {
    let handle = publicKey.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      return d2i_PUBKEY(nil, &position, bytes.count)
    }
    guard let handle else { throw .last("d2i_PUBKEY") }
    defer { EVP_PKEY_free(handle) }
    guard let context = EVP_PKEY_CTX_new(handle, nil) else { throw .last("EVP_PKEY_CTX_new") }
    defer { EVP_PKEY_CTX_free(context) }
    guard EVP_PKEY_encrypt_init(context) == 1, EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1,
      EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) == 1, EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1
    else { throw .last("EVP_PKEY_encrypt_init") }
    var wrapped = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(handle)))
    var count = wrapped.count
    guard EVP_PKEY_encrypt(context, &wrapped, &count, key, key.count) == 1 else { throw .last("EVP_PKEY_encrypt") }
    return Array(wrapped.prefix(count))
  }
}

/// Why something cannot be encrypted.
public enum ContentEncryptionError: Error, Equatable, Sendable, CustomStringConvertible {
  case noCertificate(String)
  case severalCertificates
  /// With the day.
  case expired(String)
  /// The certificate allows its key to be used for signatures, but not to encrypt other keys.
  case notForEncryption
  /// Not RSA, or less than 2048 bits.
  case otherKey
  /// AES-GCM takes no more than 64 GiB (NIST SP 800-38D §5.2.1.1).
  case tooLong
  case openSSL(call: String, String)

  public var description: String {
    switch self {
    case .noCertificate(let reason): "there is no certificate in PEM (\(reason))"
    case .severalCertificates: "there is more than one certificate, and only one can be encrypted for"
    case .expired(let day): "the certificate expired on \(day)"
    case .notForEncryption: "the certificate is for signatures alone: its key usage lacks key encipherment"
    case .otherKey: "the certificate's key is none of RSA with 2048 bits or more"
    case .tooLong: "a file of more than 64 GiB cannot be encrypted: set segment in [archive]"
    case .openSSL(let call, let reason): "\(call): \(reason)"
    }
  }

  static func last(_ call: String) -> ContentEncryptionError { .openSSL(call: call, takeErrorText()) }
}

/// The thread's oldest OpenSSL error as text; clears the queue.
func takeErrorText() -> String { String(cString: ls_error_text(ls_take_error())) }
