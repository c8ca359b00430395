import COpenSSL
import TLSClient

/// OpenSSL's own client on memory BIOs, which checks no certificate, wired to a server's connection.
final class TestClient {
  private let context: OpaquePointer
  private let ssl: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer

  /// - Parameter protocols: for ALPN; without it the client names none.
  init(maximumVersion: CInt = TLS1_3_VERSION, protocols: [String] = []) {
    context = SSL_CTX_new(TLS_client_method())
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_VERSION), nil)
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(maximumVersion), nil)
    // Else OpenSSL itself would not offer the old versions.
    SSL_CTX_set_security_level(context, 0)
    ssl = SSL_new(context)
    let names = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    if !names.isEmpty { SSL_set_alpn_protos(ssl, names, CUnsignedInt(names.count)) }
    input = ls_make_memory_bio()
    output = ls_make_memory_bio()
    SSL_set_bio(ssl, input, output)
    SSL_set_connect_state(ssl)
    SSL_do_handshake(ssl)
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  var isConnected: Bool { SSL_is_init_finished(ssl) == 1 }
  var version: String { String(cString: SSL_get_version(ssl)) }
  var applicationProtocol: String {
    var (name, count): (UnsafePointer<UInt8>?, CUnsignedInt) = (nil, 0)
    SSL_get0_alpn_selected(ssl, &name, &count)
    return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
  }

  /// Carries octets both ways until there are none.
  func exchange(with server: TLSConnection) {
    var isMoving = true
    while isMoving {
      isMoving = carryToServer(server)
      isMoving = carryToClient(server) || isMoving
      SSL_do_handshake(ssl)
      ERR_clear_error()
    }
  }

  private func carryToServer(_ server: TLSConnection) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = Int(BIO_read(output, &buffer, CInt(buffer.count)))
    if count > 0 { server.receive(buffer.span.bytes.extracting(first: count)) }
    return count > 0
  }

  private func carryToClient(_ server: TLSConnection) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    var span = buffer.mutableSpan
    var bytes = span.mutableBytes
    let count = server.takeCiphertext(into: &bytes)
    if count > 0 { BIO_write(input, buffer, CInt(count)) }
    return count > 0
  }
}
