import TLSClient

/// TLS on a connection whose plaintext a test decides.
final class SecureConnection {
  private let raw: RawConnection
  private let tls: TLSConnection
  private(set) var plaintext: [UInt8] = []
  private(set) var isClosed = false

  init(port: Int, from source: String = "127.0.0.1", authorityFile: String) throws {
    raw = try RawConnection(port: port, from: source)
    tls = try TLSClient(authorityFile: authorityFile).connect(to: "127.0.0.1")
  }

  var isConnected: Bool { tls.state == .connected }
  /// The statuses of all responses.
  var statuses: [Int] { Received(bytes: plaintext, isClosed: isClosed).statuses }

  func send(_ text: String) { _ = tls.send(Array(text.utf8).span.bytes) }

  /// Carries octets both ways until `condition` holds or the hub has closed, for 10 s at most.
  func exchange(until condition: (SecureConnection) -> Bool) async {
    for _ in 0..<200 {
      flush()
      guard !isClosed, !condition(self) else { return }
      let received = await raw.receive(within: .milliseconds(50))
      isClosed = received.isClosed
      tls.receive(received.bytes.span.bytes)
      readAll()
    }
  }

  private func flush() {
    while tls.pendingCiphertext > 0 {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      var span = buffer.mutableSpan
      var bytes = span.mutableBytes
      let count = tls.takeCiphertext(into: &bytes)
      raw.send(Array(buffer.prefix(count)))
    }
  }

  private func readAll() {
    while true {
      var buffer = [UInt8](repeating: 0, count: 16_384)
      var span = buffer.mutableSpan
      var bytes = span.mutableBytes
      let count = tls.takePlaintext(into: &bytes)
      guard count > 0 else { return }
      plaintext += buffer.prefix(count)
    }
  }
}
