import COpenSSL

/// Why a server's certificate was refused, as text that says what to do.
enum CertificateVerdict {
  static func text(_ verdict: Int, host: String, remedy: String) -> String {
    switch Int32(truncatingIfNeeded: verdict) {
    case X509_V_ERR_CERT_NOT_YET_VALID:
      "the server's certificate is not yet valid by this device's clock; see whether the clock is right"
    case X509_V_ERR_CERT_HAS_EXPIRED:
      "the server's certificate has expired by this device's clock"
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
      "the server's certificate is not for \(host)"
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
      X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      "the server's certificate is not from an authority that this system trusts; \(remedy)"
    default:
      "the server's certificate is refused: \(String(cString: X509_verify_cert_error_string(verdict)))"
    }
  }
}
