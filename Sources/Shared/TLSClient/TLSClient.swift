import COpenSSL

/// Makes TLS connections by OpenSSL (1.2 or later) to servers whose certificates the system trusts.
///
/// Thread rule: a client may be shared between threads (OpenSSL locks its SSL_CTX, openssl-threads(7)); each connection
/// belongs to one thread at a time. The system's authorities are read from their folder one by one, when a certificate
/// asks for one (`openssl rehash` names their files so); the one file of them all would cost 0.1 s and some megabytes.
public final class TLSClient: @unchecked Sendable {
  private let context: OpaquePointer
  private let remedy: String

  /// What a client shows to a server that asks who it is: PEM files of its certificate (with those of the authorities
  /// between) and of its key.
  public struct Identity: Sendable, Hashable {
    public var certificateFile: String
    public var keyFile: String

    public init(certificateFile: String, keyFile: String) {
      self.certificateFile = certificateFile
      self.keyFile = keyFile
    }
  }

  /// - Parameters:
  ///   - authorityFile: certificates (PEM) of authorities that are trusted besides the system's.
  ///   - identity: for servers that ask for a certificate.
  ///   - remedy: how an unknown authority becomes a trusted one, for people.
  public init(
    authorityFile: String? = nil, identity: Identity? = nil,
    remedy: String = "network.turn_ca_file names an authority of your own"
  ) throws(TLSClientError) {
    guard let context = SSL_CTX_new(TLS_client_method()) else { throw takeOpenSSLError("SSL_CTX_new") }
    do throws(TLSClientError) {
      try Self.configure(context, authorityFile)
      if let identity { try Self.use(identity, context) }
    } catch {
      SSL_CTX_free(context)
      throw error
    }
    self.context = context
    self.remedy = remedy
  }

  deinit { SSL_CTX_free(context) }

  /// Begins a connection; its first octets to send are available at once.
  ///
  /// - Parameter host: the name or the numeric address (IPv6 without brackets) that the server's certificate must
  ///   carry.
  public func connect(to host: String) throws(TLSClientError) -> TLSConnection {
    guard let ssl = SSL_new(context) else { throw takeOpenSSLError("SSL_new") }
    do throws(TLSClientError) {
      try Self.expect(host, ssl)
    } catch {
      SSL_free(ssl)
      throw error
    }
    return try TLSConnection(ssl, .client(host: host, remedy: remedy))
  }

  private static func configure(_ context: OpaquePointer, _ authorityFile: String?) throws(TLSClientError) {
    guard ls_ctx_configure_tls_client(context) == 1, SSL_CTX_set_default_verify_dir(context) == 1 else {
      throw takeOpenSSLError("SSL_CTX_set")
    }
    guard let authorityFile else { return }
    guard SSL_CTX_load_verify_file(context, authorityFile) == 1 else {
      throw .authorityFile(path: authorityFile, reason: String(cString: ls_error_text(ls_take_error())))
    }
  }

  private static func use(_ identity: Identity, _ context: OpaquePointer) throws(TLSClientError) {
    guard SSL_CTX_use_certificate_chain_file(context, identity.certificateFile) == 1 else {
      throw .identityFile(path: identity.certificateFile, reason: String(cString: ls_error_text(ls_take_error())))
    }
    // A key under a password is refused: OpenSSL would ask for the password on the terminal.
    SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
    // Fails as well where the key is another certificate's.
    guard SSL_CTX_use_PrivateKey_file(context, identity.keyFile, SSL_FILETYPE_PEM) == 1 else {
      throw .identityFile(path: identity.keyFile, reason: String(cString: ls_error_text(ls_take_error())))
    }
  }

  /// Names the server to itself (RFC 6066 §3, which has no numeric addresses) and to the verification.
  private static func expect(_ host: String, _ ssl: OpaquePointer) throws(TLSClientError) {
    let parameters = SSL_get0_param(ssl)
    if X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1 { return }
    ERR_clear_error()
    X509_VERIFY_PARAM_set_hostflags(parameters, CUnsignedInt(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    // A name may end in the root's dot, a certificate's never does.
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    guard !name.isEmpty, X509_VERIFY_PARAM_set1_host(parameters, name, 0) == 1, ls_set_server_name(ssl, name) == 1
    else { throw takeOpenSSLError("X509_VERIFY_PARAM_set1_host") }
  }
}
