import RedisClient
import TestServers
import Testing

@Suite("Redis over TLS", .timeLimit(.minutes(1)), .enabled(if: RedisTestServer.isInstalled))
struct TLSTests {
  private func settings(_ port: Int, _ authorityFile: String?) -> RedisConnectionSettings {
    var settings = RedisConnectionSettings(.tcp(.init(host: "127.0.0.1", port: port)))
    settings.tls = .init(authorityFile: authorityFile)
    settings.connectTimeout = .seconds(1)
    return settings
  }

  @Test(arguments: [false, true]) func commandsPass(asksForCertificates: Bool) async throws {
    let authority = TestAuthority()
    let server = try RedisTestServer.startSecure(
      authority.issue("IP:127.0.0.1"), authority: authority, asksForCertificates: asksForCertificates)
    defer { server.stop() }
    try await authority.withFiles(authority.issue("DNS:hub")) { files in
      var settings = settings(server.port, files.authority)
      if asksForCertificates {
        settings.tls?.identity = .init(certificateFile: files.certificate, keyFile: files.key)
      }
      try await withRedisClient(settings) { client, _ in
        let value = [UInt8](repeating: 9, count: 300_000)
        _ = try await client.send(RedisCommand("SET", "k", value))
        let replies = try await client.send((0..<20).map { _ in RedisCommand("GET", "k") })
        #expect(replies.allSatisfy { $0.bytes == value })
      }
    }
  }

  @Test func aServerThatAsksForACertificateRefusesClientsWithoutOne() async throws {
    let authority = TestAuthority()
    let server = try RedisTestServer.startSecure(
      authority.issue("IP:127.0.0.1"), authority: authority, asksForCertificates: true)
    defer { server.stop() }
    try await authority.withFiles(authority.issue("DNS:hub")) { files in
      try await withRedisClient(settings(server.port, files.authority), isConnected: false) { _, log in
        _ = try await log.firstLoss()
        #expect(!log.events.contains(.connected))
      }
    }
  }

  /// Addresses that sentinels tell are rarely names of certificates.
  @Test func theServersNameMayBeAnother() async throws {
    let authority = TestAuthority()
    let server = try RedisTestServer.startSecure(authority.issue("DNS:redis.example.org"), authority: authority)
    defer { server.stop() }
    try await authority.withFiles(authority.issue("DNS:hub")) { files in
      var settings = settings(server.port, files.authority)
      try await withRedisClient(settings, isConnected: false) { _, log in
        try await log.expectFirstLoss(.tls(reason: "the server's certificate is not for 127.0.0.1"))
      }
      settings.tls?.serverName = "redis.example.org"
      try await withRedisClient(settings) { client, _ in
        try await client.expect(RedisCommand("PING", keyPosition: nil), "PONG")
      }
    }
  }

  @Test func filesThatDoNotBelongTogetherAreNamed() async throws {
    let authority = TestAuthority()
    try await authority.withFiles(authority.issue("DNS:hub")) { files in
      try await authority.withFiles(authority.issue("DNS:other")) { others in
        var settings = settings(1, files.authority)
        settings.tls?.identity = .init(certificateFile: files.certificate, keyFile: others.key)
        try await withRedisClient(settings, isConnected: false) { _, log in
          guard case .tls(let reason) = try await log.firstLoss() else {
            Issue.record("\(log.events)")
            return
          }
          #expect(reason.contains(others.key))
        }
      }
    }
  }

  @Test func anUnknownAuthorityIsRefused() async throws {
    let authority = TestAuthority()
    let server = try RedisTestServer.startSecure(authority.issue("IP:127.0.0.1"), authority: authority)
    defer { server.stop() }
    try await withRedisClient(settings(server.port, nil), isConnected: false) { _, log in
      guard case .tls(let reason) = try await log.firstLoss() else {
        Issue.record("\(log.events)")
        return
      }
      #expect(reason.contains("trusts"))
    }
  }

  @Test func aServerWithoutTLSIsRefused() async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    try await withRedisClient(settings(server.port, nil), isConnected: false) { _, log in
      _ = try await log.firstLoss()
      #expect(!log.events.contains(.connected))
    }
  }
}
