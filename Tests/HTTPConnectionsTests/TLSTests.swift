import Foundation
import SystemSupport
import NIOHTTP1
import TestServers
import Testing

@testable import HTTPConnections

/// Against a server with a certificate of an authority made for the test.
@Suite("HTTP over TLS", .timeLimit(.minutes(1)))
struct TLSTests {
  private let authority = TestAuthority()

  /// Runs a pool, which trusts the authority, against a server; with its certificate for 127.0.0.1 unless told otherwise.
  private func withServer(
    _ alternatives: String = "IP:127.0.0.1", isTrusted: Bool = true, identity: ServerIdentity? = nil,
    script: @escaping RawServer.Script,
    _ body: (HTTPConnectionPool, RawServer) async throws -> Void
  ) async throws {
    let server = RawServer(identity ?? authority.issue(alternatives), script)
    let origin = try #require(HTTPOrigin("https://127.0.0.1:\(server.port)"))
    var limits = HTTPConnectionPool.Limits()
    limits.connectTimeout = .seconds(1)
    let pool = try authority.withFile { file in
      HTTPConnectionPool(origin, limits: limits, authorityFile: isTrusted ? file : nil)
    }
    let result: Result<Void, any Error>
    do { result = .success(try await body(pool, server)) } catch { result = .failure(error) }
    await pool.shutdown()
    server.stop()
    try result.get()
  }

  private func get(_ pool: HTTPConnectionPool) async throws -> [UInt8] {
    try await pool.execute(HTTPRequest(.GET, "/")).body.collect(upTo: 1 << 20)
  }

  private func failure(_ pool: HTTPConnectionPool) async -> (any Error)? {
    do { _ = try await get(pool) } catch { return error }
    return nil
  }

  @Test func requestsShareAConnection() async throws {
    try await withServer { connection, _ in
      while connection.readHead() != nil { connection.answer(String(repeating: "x", count: 100_000)) }
    } _: { pool, server in
      for _ in 0..<20 {
        let answer = try await get(pool)
        #expect(answer.count == 100_000)
      }
      #expect(server.connections == 1)
    }
  }

  @Test func largeBodiesAreSent() async throws {
    try await withServer { connection, _ in
      _ = connection.readHead()
      connection.answer("\(connection.readBody(1_000_000).count)")
    } _: { pool, _ in
      let request = HTTPRequest(.PUT, "/", body: .bytes([UInt8](repeating: 1, count: 1_000_000)))
      let answer = try await pool.execute(request).body.collect(upTo: 10)
      #expect(answer == Array("1000000".utf8))
    }
  }

  @Test func aFewNewKeysAreTaken() async throws {
    try await withServer { connection, _ in
      while connection.readHead() != nil {
        for _ in 0..<100 { _ = connection.renewKeys() }
        connection.answer("renewed")
      }
    } _: { pool, server in
      for _ in 0..<20 {
        let answer = try await get(pool)
        #expect(answer == Array("renewed".utf8))
      }
      #expect(server.connections == 1)
    }
  }

  /// Each request has an answer, which would wait in the memory for a server that reads none.
  @Test func newKeysWithoutEndAreRefused() async throws {
    try await withServer { connection, _ in
      _ = connection.readHead()
      var count = 0
      while count < 100_000, connection.renewKeys() { count += 1 }
    } _: { pool, _ in
      #expect(
        await failure(pool) as? HTTPConnectionError == .tls(reason: "TLS: the server asks for new keys without end"))
    }
  }

  @Test func aCertificateForAnotherHostIsRefused() async throws {
    try await withServer("DNS:hub.example") { _, _ in
    } _: { pool, _ in
      let reason = "the server's certificate is not for 127.0.0.1"
      #expect(await failure(pool) as? HTTPConnectionError == .tls(reason: reason))
    }
  }

  @Test func aCertificateOfAnUnknownAuthorityIsRefused() async throws {
    try await withServer(isTrusted: false) { _, _ in
    } _: { pool, _ in
      guard case .tls(let reason) = await failure(pool) as? HTTPConnectionError else {
        Issue.record("was taken")
        return
      }
      #expect(reason.contains("update-ca-certificates"))
    }
  }

  /// What a request would carry must not have left when the handshake fails.
  private func requireRefusal(of identity: ServerIdentity, _ words: String) async throws {
    let heads = Mutex(0)
    try await withServer(identity: identity) { connection, _ in
      if connection.readHead() != nil { heads.withLock { $0 += 1 } }
    } _: { pool, _ in
      guard case .tls(let reason) = await failure(pool) as? HTTPConnectionError else {
        Issue.record("was taken")
        return
      }
      #expect(reason.contains(words), "\(reason)")
    }
    #expect(heads.withLock { $0 } == 0)
  }

  @Test func anExpiredCertificateIsRefused() async throws {
    try await requireRefusal(of: authority.issue("IP:127.0.0.1", validity: -7_200...(-3_600)), "expired")
  }

  @Test func aCertificateOfTheFutureIsRefused() async throws {
    try await requireRefusal(of: authority.issue("IP:127.0.0.1", validity: 3_600...7_200), "not yet valid")
  }

  /// The same name and another key: what is trusted is the authority, not what it calls itself.
  @Test func anAuthorityThatOnlyHasTheNameIsRefused() async throws {
    try await requireRefusal(of: TestAuthority().issue("IP:127.0.0.1"), "refused")
  }

  @Test func aCertificateThatSignsItselfIsRefused() async throws {
    let own = TestAuthority(name: "127.0.0.1")
    try await requireRefusal(of: ServerIdentity(key: own.key, certificate: own.certificate), "update-ca-certificates")
  }

  @Test func noRedirectLeadsToPlainHTTP() async throws {
    let plain = RawServer { connection, _ in _ = connection.readHead() }
    try await withServer { connection, _ in
      _ = connection.readHead()
      connection.write("HTTP/1.1 301 Moved\r\nLocation: http://127.0.0.1:\(plain.port)/\r\nContent-Length: 0\r\n\r\n")
    } _: { pool, _ in
      let answer = try await pool.execute(HTTPRequest(.GET, "/", headers: ["Authorization": "Bearer secret"]))
      #expect(answer.status.code == 301)
    }
    #expect(plain.connections == 0)
    plain.stop()
  }

  @Test func aServerThatSpeaksNoTLSIsRefused() async throws {
    let server = RawServer { connection, _ in
      connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
    }
    let pool = HTTPConnectionPool(try #require(HTTPOrigin("https://127.0.0.1:\(server.port)")))
    #expect(await failure(pool) != nil)
    await pool.shutdown()
    server.stop()
  }

  @Test func aHandshakeThatDoesNotEndIsGivenUp() async throws {
    let server = RawServer { connection, _ in while !connection.read().isEmpty {} }
    var limits = HTTPConnectionPool.Limits()
    limits.connectTimeout = .milliseconds(300)
    let pool = HTTPConnectionPool(try #require(HTTPOrigin("https://127.0.0.1:\(server.port)")), limits: limits)
    #expect(await failure(pool) as? HTTPConnectionError == .timedOut)
    await pool.shutdown()
    server.stop()
  }

  @Test("A body without a length ends with a goodbye, not with a cut", arguments: [true, false])
  func cuts(saysGoodbye: Bool) async throws {
    try await withServer { connection, _ in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\n\r\nabc")
      if saysGoodbye { connection.sayGoodbye() }
    } _: { pool, _ in
      if saysGoodbye {
        let answer = try await get(pool)
        #expect(answer == Array("abc".utf8))
      } else {
        #expect(await failure(pool) != nil)
      }
    }
  }
}
