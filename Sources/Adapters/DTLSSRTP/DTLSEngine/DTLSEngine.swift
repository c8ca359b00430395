import COpenSSL
public import TransportCrypto

/// Makes DTLS 1.2 associations by OpenSSL that share one certificate.
///
/// Thread rule: an engine may be shared between threads (OpenSSL locks its SSL_CTX, openssl-threads(7)); each
/// association belongs to one thread at a time.
public final class DTLSEngine: DTLSAssociationMaking, @unchecked Sendable {
  private let context: OpaquePointer
  public let fingerprint: CertificateFingerprint

  /// The ciphers of RFC 8827 §6.5 and their stronger kin; forward secrecy in all of them.
  private static let ciphers = [
    "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-CHACHA20-POLY1305", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-AES128-SHA", "ECDHE-RSA-AES128-SHA",
  ].joined(separator: ":")
  /// Octets of the peer's certificates; those of browsers have some hundred.
  private static let longestCertificates = 16_384
  /// GCM before SHA-1; Chromium as server picks the last one nevertheless.
  private static let srtpProfiles = "SRTP_AEAD_AES_128_GCM:SRTP_AEAD_AES_256_GCM:SRTP_AES128_CM_SHA1_80"

  public init(identity: DTLSIdentity) throws(DTLSEngineError) {
    guard let context = SSL_CTX_new(DTLS_method()) else { throw takeOpenSSLError("SSL_CTX_new") }
    do throws(DTLSEngineError) {
      try Self.configure(context, identity)
    } catch {
      SSL_CTX_free(context)
      throw error
    }
    self.context = context
    fingerprint = identity.fingerprint
  }

  deinit { SSL_CTX_free(context) }

  /// Throws if all of the fingerprints are of algorithms that are unknown or too weak (RFC 8122 §5): without one to expect,
  /// the peer could not be authenticated.
  public func makeAssociation(
    role: DTLSRole, remote: [CertificateFingerprint]
  ) throws(TransportCryptoError) -> any DTLSAssociation {
    let known = remote.filter { ["sha-256", "sha-384", "sha-512"].contains($0.algorithm) }
    guard !known.isEmpty else { throw Self.unusableFingerprints(remote) }
    do throws(DTLSEngineError) {
      guard let ssl = SSL_new(context) else { throw takeOpenSSLError("SSL_new") }
      return try OpenSSLAssociation(ssl, role: role, remote: known)
    } catch {
      throw TransportCryptoError("\(error)")
    }
  }

  private static func unusableFingerprints(_ remote: [CertificateFingerprint]) -> TransportCryptoError {
    let names = remote.map(\.algorithm).joined(separator: ", ")
    return TransportCryptoError(
      remote.isEmpty
        ? "the peer gives no certificate fingerprint"
        : "the peer's certificate fingerprints are \(names) alone; sha-256, sha-384 or sha-512 is needed")
  }

  private static func configure(_ context: OpaquePointer, _ identity: DTLSIdentity) throws(DTLSEngineError) {
    guard ls_ctx_set_dtls12_only(context) == 1, SSL_CTX_set_cipher_list(context, ciphers) == 1,
      ls_ctx_set_groups(context, "X25519:P-256:P-384") == 1
    else { throw takeOpenSSLError("SSL_CTX_set") }
    // The one function of the family that returns 0 for success.
    guard SSL_CTX_set_tlsext_use_srtp(context, srtpProfiles) == 0 else {
      throw takeOpenSSLError("SSL_CTX_set_tlsext_use_srtp")
    }
    guard SSL_CTX_use_certificate(context, identity.certificate) == 1,
      SSL_CTX_use_PrivateKey(context, identity.key) == 1
    else { throw takeOpenSSLError("SSL_CTX_use_certificate") }
    SSL_CTX_set_options(context, ls_association_options())
    // Also bounds the memory reserved for a fragmented message: ten of these at most.
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_CERT_LIST, longestCertificates, nil)
    ls_ctx_disable_sessions(context)
    ls_ctx_request_peer_certificate(context)
  }
}
