import COpenSSL
import TLSClient
import TestServers
import Testing

@Suite struct TLSClientTests {
  private let authority = TestAuthority()

  private func connect(_ server: TestServer, to host: String = "turn.example.org") throws -> TLSConnection {
    let connection = try authority.withFile { try TLSClient(authorityFile: $0).connect(to: host) }
    server.exchange(with: connection)
    return connection
  }

  private func failure(_ connection: TLSConnection) -> String? {
    guard case .failed(let reason) = connection.state else { return nil }
    return reason
  }

  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func octetsTravelBothWaysInAnyPieces(version: CInt) throws {
    let server = TestServer(authority.issue("DNS:turn.example.org"), maximumVersion: version)
    server.piece = 7
    let client = try connect(server)
    #expect(client.state == .connected)
    #expect(server.version == (version == TLS1_2_VERSION ? "TLSv1.2" : "TLSv1.3"))
    #expect(server.serverName == "turn.example.org")
    let question = (0..<5_000).map { UInt8(truncatingIfNeeded: $0) }
    let isSent = client.send(question.span.bytes)
    #expect(isSent)
    server.exchange(with: client)
    #expect(server.received == question)
    server.send(Array(question.reversed()))
    server.exchange(with: client)
    #expect(client.readAll() == question.reversed())
    #expect(client.state == .connected)
  }

  @Test(arguments: [
    ("192.0.2.1", "IP:192.0.2.1"), ("2001:db8::1", "IP:2001:db8::1"), ("turn.example.org.", "DNS:turn.example.org"),
    ("turn.example.org", "DNS:*.example.org"),
  ])
  func namesAndAddressesAreFoundInTheCertificate(host: String, alternatives: String) throws {
    let server = TestServer(authority.issue(alternatives))
    #expect(try connect(server, to: host).state == .connected)
    #expect((server.serverName == nil) == alternatives.hasPrefix("IP"))
  }

  @Test(arguments: [
    ("turn.example.org", "DNS:other.example.org"), ("turn.example.org", "IP:192.0.2.1"),
    ("192.0.2.1", "IP:192.0.2.2"), ("192.0.2.1", "DNS:192.0.2.1"), ("turn.example.org", "DNS:t*.example.org"),
  ])
  func certificatesOfOthersAreRefused(host: String, alternatives: String) throws {
    let client = try connect(TestServer(authority.issue(alternatives)), to: host)
    #expect(failure(client) == "the server's certificate is not for \(host)")
    let isSent = client.send(([1] as [UInt8]).span.bytes)
    #expect(!isSent)
  }

  @Test func aCertificateOfTheFutureNamesTheClock() throws {
    let server = TestServer(authority.issue("DNS:turn.example.org", validity: 86_400...172_800))
    let reason = failure(try connect(server))
    #expect(reason?.contains("not yet valid by this device's clock") == true)
  }

  @Test func anExpiredCertificateIsRefused() throws {
    let server = TestServer(authority.issue("DNS:turn.example.org", validity: -172_800...(-86_400)))
    #expect(failure(try connect(server))?.contains("has expired") == true)
  }

  @Test func anAuthorityThatNobodyKnowsIsRefusedWithTheRemedy() throws {
    let server = TestServer(authority.issue("DNS:turn.example.org"))
    let client = try TLSClient().connect(to: "turn.example.org")
    server.exchange(with: client)
    #expect(failure(client)?.contains("network.turn_ca_file") == true)
  }

  @Test func oldVersionsAreRefused() throws {
    let client = try connect(TestServer(authority.issue("DNS:turn.example.org"), maximumVersion: TLS1_1_VERSION))
    #expect(failure(client)?.hasPrefix("TLS: ") == true)
  }

  @Test func whatIsNotTLSIsRefused() throws {
    let client = try TLSClient().connect(to: "turn.example.org")
    client.receive(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8).span.bytes)
    #expect(failure(client)?.hasPrefix("TLS: ") == true)
    client.receive(([1, 2, 3] as [UInt8]).span.bytes)
    #expect(client.readAll().isEmpty)
  }

  @Test func aGoodbyeOfTheServerClosesAfterItsLastOctets() throws {
    let server = TestServer(authority.issue("DNS:turn.example.org"))
    let client = try connect(server)
    server.send([1, 2, 3])
    server.sayGoodbye()
    server.exchange(with: client)
    #expect(client.readAll() == [1, 2, 3])
    #expect(client.state == .closed)
  }

  @Test func closingSaysGoodbyeOnce() throws {
    let server = TestServer(authority.issue("DNS:turn.example.org"))
    let client = try connect(server)
    client.close()
    client.close()
    #expect(client.state == .closed)
    #expect((1..<100).contains(client.pendingCiphertext))
  }

  @Test func aFileWithoutCertificatesIsNamed() {
    let error = #expect(throws: TLSClientError.self) { try TLSClient(authorityFile: "/dev/null") }
    #expect(error.map { "\($0)".hasPrefix("no certificates can be read from /dev/null: ") } == true)
    #expect(throws: TLSClientError.self) { try TLSClient(authorityFile: "/nowhere/ca.pem") }
  }
}
