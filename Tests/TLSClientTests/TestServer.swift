import COpenSSL
import TLSClient
import TestServers

/// OpenSSL's own server on memory BIOs, wired to a client.
final class TestServer {
  private let context: OpaquePointer
  private let ssl: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer
  /// What came from the client, decrypted.
  private(set) var received: [UInt8] = []
  /// The most that is carried at once, so that records arrive in pieces.
  var piece = 16_384

  init(_ identity: ServerIdentity, maximumVersion: CInt = TLS1_3_VERSION) {
    context = SSL_CTX_new(TLS_server_method())
    SSL_CTX_use_certificate(context, identity.certificate)
    SSL_CTX_use_PrivateKey(context, identity.key)
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(maximumVersion), nil)
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_VERSION), nil)
    ssl = SSL_new(context)
    input = ls_make_memory_bio()
    output = ls_make_memory_bio()
    SSL_set_bio(ssl, input, output)
    SSL_set_accept_state(ssl)
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  var serverName: String? { SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) } }
  var version: String { String(cString: SSL_get_version(ssl)) }

  func send(_ octets: [UInt8]) { SSL_write(ssl, octets, CInt(octets.count)) }
  func sayGoodbye() { SSL_shutdown(ssl) }

  /// Carries octets both ways until there are none.
  func exchange(with client: TLSConnection) {
    var isMoving = true
    while isMoving {
      isMoving = carryToServer(client)
      readAll()
      isMoving = carryToClient(client) || isMoving
    }
  }

  private func carryToServer(_ client: TLSConnection) -> Bool {
    var buffer = [UInt8](repeating: 0, count: piece)
    var span = buffer.mutableSpan
    var bytes = span.mutableBytes
    let count = client.takeCiphertext(into: &bytes)
    if count > 0 { BIO_write(input, buffer, CInt(count)) }
    return count > 0
  }

  private func carryToClient(_ client: TLSConnection) -> Bool {
    var buffer = [UInt8](repeating: 0, count: piece)
    let count = Int(BIO_read(output, &buffer, CInt(piece)))
    if count > 0 { client.receive(buffer.span.bytes.extracting(first: count)) }
    return count > 0
  }

  private func readAll() {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = SSL_read(ssl, &buffer, CInt(buffer.count))
      guard count > 0 else { break }
      received += buffer.prefix(Int(count))
    }
    ERR_clear_error()
  }
}

extension TLSConnection {
  /// All that is there to read.
  func readAll() -> [UInt8] {
    var result: [UInt8] = []
    while true {
      var buffer = [UInt8](repeating: 0, count: 1_000)
      var span = buffer.mutableSpan
      var bytes = span.mutableBytes
      let count = takePlaintext(into: &bytes)
      guard count > 0 else { return result }
      result += buffer.prefix(count)
    }
  }
}
