import COpenSSL

/// Accepts TLS connections of HTTP clients by OpenSSL (1.2 or later, ALPN `http/1.1`), with one certificate.
///
/// Asks clients for no certificate. A renewed certificate is another server: connections keep what they were accepted
/// by.
///
/// Thread rule: as ``TLSClient``. Nothing of the SSL_CTX or its certificate changes after `init`.
public final class TLSServer: @unchecked Sendable {
  /// Seconds since 1970 between which the certificate is valid.
  public let validity: ClosedRange<Int64>
  private let context: OpaquePointer

  /// - Parameters:
  ///   - certificateFile: the certificate (PEM), followed by those of the authorities between.
  ///   - keyFile: its key (PEM), without a password.
  public init(certificateFile: String, keyFile: String) throws(TLSServerError) {
    guard let context = SSL_CTX_new(TLS_server_method()) else {
      throw .openSSL(function: "SSL_CTX_new", code: UInt(ls_take_error()))
    }
    do throws(TLSServerError) {
      try Self.configure(context)
      validity = try Self.load(certificateFile, keyFile, into: context)
    } catch {
      SSL_CTX_free(context)
      throw error
    }
    self.context = context
  }

  deinit { SSL_CTX_free(context) }

  /// A connection that waits for its client's first octets.
  public func accept() throws(TLSClientError) -> TLSConnection {
    guard let ssl = SSL_new(context) else { throw takeOpenSSLError("SSL_new") }
    return try TLSConnection(ssl, .server)
  }

  /// Whether clients that ask for `host`, a name or a numeric address (IPv6 without brackets), find it in the
  /// certificate.
  public func isNamed(_ host: String) -> Bool {
    guard let certificate = SSL_CTX_get0_certificate(context), !host.isEmpty else { return false }
    defer { ERR_clear_error() }
    if X509_check_ip_asc(certificate, host, 0) == 1 { return true }
    return X509_check_host(certificate, host, 0, CUnsignedInt(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS), nil) == 1
  }

  private static func configure(_ context: OpaquePointer) throws(TLSServerError) {
    guard ls_ctx_configure_tls_server(context) == 1 else {
      throw .openSSL(function: "SSL_CTX_set", code: UInt(ls_take_error()))
    }
  }

  /// The key comes first: so OpenSSL takes a certificate of another key, and says afterwards that they do not match.
  private static func load(
    _ certificateFile: String, _ keyFile: String, into context: OpaquePointer
  ) throws(TLSServerError) -> ClosedRange<Int64> {
    // A key under a password is refused: OpenSSL would ask for the password on the terminal.
    SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
    guard SSL_CTX_use_PrivateKey_file(context, keyFile, SSL_FILETYPE_PEM) == 1 else {
      throw .keyFile(path: keyFile, reason: takeReason())
    }
    guard SSL_CTX_use_certificate_chain_file(context, certificateFile) == 1 else {
      throw .certificateFile(path: certificateFile, reason: takeReason())
    }
    guard SSL_CTX_check_private_key(context) == 1 else {
      ERR_clear_error()
      throw .mismatch(certificateFile: certificateFile, keyFile: keyFile)
    }
    guard let certificate = SSL_CTX_get0_certificate(context),
      case let (start, end) = (
        ls_seconds_of(X509_get0_notBefore(certificate)), ls_seconds_of(X509_get0_notAfter(certificate))
      ), start >= 0, start <= end
    else { throw .certificateFile(path: certificateFile, reason: "its dates are not understood") }
    return start...end
  }

  private static func takeReason() -> String { String(cString: ls_error_text(ls_take_error())) }
}
