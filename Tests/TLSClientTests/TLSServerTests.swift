import COpenSSL
import Glibc
import TLSClient
import TestServers
import Testing

@Suite struct TLSServerTests {
  private let authority = TestAuthority()

  private func withServer(
    _ alternatives: String = "DNS:hub.example.org", _ body: (TLSServer, TLSFiles) async throws -> Void
  ) async throws {
    try await authority.withFiles(authority.issue(alternatives)) { files in
      try await body(TLSServer(certificateFile: files.certificate, keyFile: files.key), files)
    }
  }

  /// Carries octets both ways until there are none.
  private func exchange(_ client: TLSConnection, _ server: TLSConnection) {
    while carry(client, server) || carry(server, client) {}
  }

  private func carry(_ source: TLSConnection, _ target: TLSConnection) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1_000)
    var span = buffer.mutableSpan
    var bytes = span.mutableBytes
    let count = source.takeCiphertext(into: &bytes)
    if count > 0 { target.receive(buffer.span.bytes.extracting(first: count)) }
    return count > 0
  }

  @Test func octetsTravelBothWaysUntilTheGoodbye() async throws {
    try await withServer { server, files in
      let client = try TLSClient(authorityFile: files.authority).connect(to: "hub.example.org")
      let connection = try server.accept()
      #expect(connection.pendingCiphertext == 0)
      exchange(client, connection)
      #expect(client.state == .connected && connection.state == .connected)
      let question = (0..<40_000).map { UInt8(truncatingIfNeeded: $0) }
      let (isAsked, isAnswered) = (client.send(question.span.bytes), connection.send(question.reversed().span.bytes))
      #expect(isAsked && isAnswered)
      exchange(client, connection)
      #expect(connection.readAll() == question && client.readAll() == question.reversed())
      client.close()
      exchange(client, connection)
      #expect(connection.readAll().isEmpty && connection.state == .closed)
    }
  }

  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func presentVersionsAreTaken(version: CInt) async throws {
    try await withServer { server, _ in
      let (client, connection) = (
        TestClient(maximumVersion: version, protocols: ["h2", "http/1.1"]), try server.accept()
      )
      client.exchange(with: connection)
      #expect(client.isConnected && connection.state == .connected)
      #expect(client.version == (version == TLS1_2_VERSION ? "TLSv1.2" : "TLSv1.3"))
      #expect(client.applicationProtocol == "http/1.1")
    }
  }

  @Test func oldVersionsAndOtherProtocolsAreRefused() async throws {
    try await withServer { server, _ in
      for client in [TestClient(maximumVersion: TLS1_1_VERSION), TestClient(protocols: ["h2"])] {
        let connection = try server.accept()
        client.exchange(with: connection)
        guard case .failed(let reason) = connection.state else {
          Issue.record("\(connection.state)")
          continue
        }
        #expect(reason.hasPrefix("TLS: ") && !client.isConnected)
      }
    }
  }

  @Test func whatIsNotTLSIsRefused() async throws {
    try await withServer { server, _ in
      let connection = try server.accept()
      connection.receive(Array("GET / HTTP/1.1\r\n\r\n".utf8).span.bytes)
      let isRefused = if case .failed = connection.state { true } else { false }
      #expect(isRefused && connection.readAll().isEmpty)
    }
  }

  @Test func hostsAreFoundInTheCertificate() async throws {
    try await withServer("DNS:hub.example.org,DNS:*.example.net,IP:192.0.2.1,IP:2001:db8::1") { server, _ in
      for host in ["hub.example.org", "HUB.example.org", "a.example.net", "192.0.2.1", "2001:db8::1"] {
        #expect(server.isNamed(host), "\(host)")
      }
      for host in ["", "example.org", "a.b.example.net", "192.0.2.2", "2001:db8::2"] {
        #expect(!server.isNamed(host), "\(host)")
      }
      let now = Int64(time(nil))
      #expect(server.validity.contains(now) && server.validity.upperBound - now <= 3_600)
    }
  }

  @Test func filesAreNamedThatCannotBeUsed() async throws {
    try await withServer { _, files in
      try await authority.withFiles(authority.issue("DNS:other")) { other in
        #expect(throws: TLSServerError.mismatch(certificateFile: files.certificate, keyFile: other.key)) {
          try TLSServer(certificateFile: files.certificate, keyFile: other.key)
        }
      }
      let missing = #expect(throws: TLSServerError.self) {
        try TLSServer(certificateFile: "/nowhere/hub.pem", keyFile: files.key)
      }
      #expect(missing.map { "\($0)" } == "no certificate can be read from /nowhere/hub.pem: No such file or directory")
      let empty = #expect(throws: TLSServerError.self) {
        try TLSServer(certificateFile: files.certificate, keyFile: files.certificate)
      }
      #expect(empty.map { "\($0)".hasPrefix("no key can be read from \(files.certificate): ") } == true)
    }
  }
}
