import COpenSSL

/// One TLS connection over a pair of memory BIOs: octets of the network on one side, those of the application on the
/// other.
///
/// After each call the owner sends what ``takeCiphertext(into:)`` yields, checks ``state``, and reads with
/// ``takePlaintext(into:)`` until none is left. The owner limits how long the handshake may take.
///
/// Thread rule: SSL objects are not locked by OpenSSL; one thread at a time may use a connection.
public final class TLSConnection {
  public enum State: Sendable, Hashable {
    case handshaking
    /// The peer is the one it was expected to be, where that is checked; octets can be sent.
    case connected
    /// One of the sides has said goodbye.
    case closed
    case failed(reason: String)
  }

  public private(set) var state = State.handshaking
  private let ssl: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer
  private let side: Side

  /// Who this side of the connection is.
  enum Side {
    /// - Parameters:
    ///   - host: whom the server's certificate must name.
    ///   - remedy: how an unknown authority becomes a trusted one, for people.
    case client(host: String, remedy: String)
    case server
  }

  /// Takes ownership of `ssl`, also when it throws.
  init(_ ssl: OpaquePointer, _ side: Side) throws(TLSClientError) {
    guard let input = ls_make_memory_bio(), let output = ls_make_memory_bio() else {
      SSL_free(ssl)
      throw takeOpenSSLError("BIO_new")
    }
    SSL_set_bio(ssl, input, output)
    switch side {
    case .client: SSL_set_connect_state(ssl)
    case .server: SSL_set_accept_state(ssl)
    }
    self.ssl = ssl
    self.input = input
    self.output = output
    self.side = side
    continueHandshake()
  }

  deinit { SSL_free(ssl) }

  // MARK: The network's side

  /// Octets that wait to be sent to the peer.
  public var pendingCiphertext: Int { ls_bio_pending(output) }

  /// Takes input from the peer, in pieces of any size.
  public func receive(_ ciphertext: RawSpan) {
    guard !isOver else { return }
    ciphertext.withUnsafeBytes { _ = BIO_write(input, $0.baseAddress, CInt(clamping: $0.count)) }
    if case .handshaking = state { continueHandshake() }
  }

  /// Moves octets for the peer into `buffer`; returns their count, 0 when there are none.
  public func takeCiphertext(into buffer: inout MutableRawSpan) -> Int {
    let count = buffer.withUnsafeMutableBytes { BIO_read(output, $0.baseAddress, CInt(clamping: $0.count)) }
    return max(0, Int(count))
  }

  // MARK: The application's side

  /// Encrypts octets for the peer; returns false unless connected.
  public func send(_ plaintext: RawSpan) -> Bool {
    guard case .connected = state, plaintext.byteCount > 0 else { return false }
    let count = plaintext.withUnsafeBytes { SSL_write(ssl, $0.baseAddress, CInt(clamping: $0.count)) }
    guard count <= 0 else { return true }
    noteFailure(of: count)
    return false
  }

  /// Moves octets from the peer into `buffer`; returns their count, 0 when there are none.
  public func takePlaintext(into buffer: inout MutableRawSpan) -> Int {
    guard case .connected = state else { return 0 }
    let count = buffer.withUnsafeMutableBytes { SSL_read(ssl, $0.baseAddress, CInt(clamping: $0.count)) }
    if count <= 0 { noteFailure(of: count) }
    return max(0, Int(count))
  }

  /// Says goodbye; the last octets for the peer are available afterwards.
  public func close() {
    if case .connected = state { SSL_shutdown(ssl) }
    ERR_clear_error()
    if !isOver { state = .closed }
  }

  // MARK: Progress

  private var isOver: Bool {
    switch state {
    case .handshaking, .connected: false
    case .closed, .failed: true
    }
  }

  private func continueHandshake() {
    let result = SSL_do_handshake(ssl)
    if result == 1 { state = .connected } else { noteFailure(of: result) }
  }

  /// Takes the state from a call that did not succeed.
  private func noteFailure(of result: CInt) {
    let cause = SSL_get_error(ssl, result)
    let code = ls_take_error()
    switch cause {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
    case SSL_ERROR_ZERO_RETURN: state = .closed
    default: state = .failed(reason: reason(code))
    }
  }

  private func reason(_ code: UInt) -> String {
    let verdict = SSL_get_verify_result(ssl)
    switch side {
    case .client(let host, let remedy) where verdict != X509_V_OK:
      return CertificateVerdict.text(verdict, host: host, remedy: remedy)
    case .client, .server: return "TLS: \(String(cString: ls_error_text(code)))"
    }
  }
}
