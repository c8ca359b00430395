import Foundation
import HTTPConnections
import HubCore
import HubHTTP
import NIOHTTP1
import TestServers
import Testing

/// The hub with a certificate of its own.
@Suite("The hub over TLS", .timeLimit(.minutes(1)), .serialized)
struct HubTLSTests {
  private static let health = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
  /// The first octets of a client's hello.
  private static let beginning: [UInt8] = [22, 3, 1, 2, 0, 1, 0]
  private let authority = TestAuthority()

  private func run(
    _ change: (inout HubConfiguration) -> Void = { _ in },
    _ body: @Sendable (HubFixture, TLSFiles) async throws -> Void
  ) async throws {
    var configuration = HubConfiguration()
    configuration.trustedProxies = []
    change(&configuration)
    try await authority.withFiles(authority.issue("IP:127.0.0.1")) { files in
      configuration.tls = TLSConfiguration(certificateFile: files.certificate, keyFile: files.key)
      try await HubFixture.run(configuration, authorityFile: files.authority) { try await body($0, files) }
    }
  }

  @Test func loginsEventsAndRequestsTravel() async throws {
    try await run { hub, _ in
      let device = try await hub.addDevice("door")
      let user = try await hub.addPerson("user")
      try await hub.withEvents(of: device) { events in
        try await hub.publish(device, stream: events)
        #expect(try await hub.send(.GET, "/v1/users", by: user).text.contains("door"))
      }
      let expiry = try #require(try await hub.metric("tls_certificate_expiry_timestamp_seconds"))
      #expect(abs(Double(expiry) - Date().timeIntervalSince1970 - 3_600) < 60)
    }
  }

  @Test func plainHTTPGetsAReadableAnswer() async throws {
    try await run { hub, _ in
      let connection = try RawConnection(port: hub.port)
      connection.send(Self.health)
      let received = await connection.receive()
      #expect(received.statuses == [400] && received.isProblem && received.isClosed, "\(received.text)")
      #expect(received.text.contains("https://"))
      #expect(try await hub.metric("tls_handshakes_failed_total") == 1)
    }
  }

  @Test func whatIsNeitherIsClosed() async throws {
    try await run { hub, _ in
      for octets: [UInt8] in [[0], [22, 0, 0, 0, 1, 0], Array(repeating: 22, count: 100)] {
        let connection = try RawConnection(port: hub.port)
        connection.send(octets)
        #expect(await connection.receive().isClosed)
      }
      #expect(try await hub.metric("tls_handshakes_failed_total") == 3)
    }
  }

  @Test func aHandshakeHasToBeWholeInTime() async throws {
    try await run {
      $0.connections.requestTimeout = .seconds(1)
    } _: { hub, _ in
      let connection = try RawConnection(port: hub.port)
      connection.send(Self.beginning)
      let received = await connection.receive()
      #expect(received.bytes.isEmpty && received.isClosed)
    }
  }

  @Test func handshakesCountAsConnectionsOfTheirAddress() async throws {
    try await run {
      $0.connections.perAddress = 8
    } _: { hub, files in
      let flood = try (0..<40).map { _ in try RawConnection(port: hub.port, from: "127.0.0.2") }
      for connection in flood { connection.send(Self.beginning) }
      try await hub.eventually { try await hub.metric("connections_evicted_total") == 32 }
      let bystander = try SecureConnection(port: hub.port, from: "127.0.0.3", authorityFile: files.authority)
      await bystander.exchange { $0.isConnected }
      bystander.send(Self.health)
      await bystander.exchange { $0.statuses == [200] }
      #expect(bystander.statuses == [200])
    }
  }

  @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
    try await run {
      $0.connections.requestRate = 100
    } _: { hub, files in
      let connection = try SecureConnection(port: hub.port, authorityFile: files.authority)
      await connection.exchange { $0.isConnected }
      let post =
        "POST /v1/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
      connection.send(String(repeating: Self.health + post, count: 50) + "GET / HTTP/1.1\r\n\r\n")
      await connection.exchange { _ in false }
      #expect(connection.statuses == Array(repeating: [200, 400], count: 50).flatMap(\.self) + [400])
      #expect(connection.isClosed)
    }
  }

  @Test func aRenewedCertificateIsForNewConnections() async throws {
    try await run { hub, files in
      let old = try SecureConnection(port: hub.port, authorityFile: files.authority)
      await old.exchange { $0.isConnected }
      try files.replace(by: authority.issue("IP:192.0.2.1"))
      hub.server.reload()
      let new = try SecureConnection(port: hub.port, authorityFile: files.authority)
      await new.exchange { _ in false }
      #expect(!new.isConnected && new.isClosed)
      old.send(Self.health)
      await old.exchange { $0.statuses == [200] }
      #expect(old.statuses == [200])
    }
  }

  @Test func aBrokenCertificateLeavesTheOldOneInForce() async throws {
    try await run { hub, files in
      let expired = authority.issue("IP:127.0.0.1", validity: -7_200...(-3_600))
      try files.replace(by: expired)
      hub.server.reload()
      try "nothing".write(toFile: files.certificate, atomically: true, encoding: .utf8)
      hub.server.reload()
      let connection = try SecureConnection(port: hub.port, authorityFile: files.authority)
      await connection.exchange { $0.isConnected }
      #expect(connection.isConnected)
    }
  }
}
