import COpenSSL
public import TransportCrypto

extension CertificateFingerprint {
  /// Digests a certificate; nil for an algorithm that is too weak or unknown (RFC 8122 §5).
  init?(of certificate: OpaquePointer, algorithm: String) {
    let type: OpaquePointer? =
      switch algorithm {
      case "sha-256": EVP_sha256()
      case "sha-384": EVP_sha384()
      case "sha-512": EVP_sha512()
      default: nil
      }
    guard let type else { return nil }
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: CUnsignedInt = 0
    guard X509_digest(certificate, type, &digest, &count) == 1 else { return nil }
    self.init(algorithm: algorithm, digest: Array(digest.prefix(Int(count))))
  }
}

extension DTLSIdentity {
  /// SHA-256 of the certificate.
  public var fingerprint: CertificateFingerprint {
    guard let fingerprint = CertificateFingerprint(of: certificate, algorithm: "sha-256") else {
      preconditionFailure("OpenSSL has no SHA-256")
    }
    return fingerprint
  }
}
