import NIOHTTP1
import SystemSupport
import TLSClient
import Testing

@testable import HTTPConnections

/// Through a proxy of the test's own.
@Suite("HTTP through a proxy", .timeLimit(.minutes(1)))
struct ProxyTests {
  private func withProxy(
    _ url: String = "http://hub.test:81/base", script: @escaping RawServer.Script,
    _ body: (HTTPConnectionPool) async throws -> Void
  ) async throws {
    let server = RawServer(nil, script)
    let proxy = try #require(HTTPProxy("http://user:secret@127.0.0.1:\(server.port)"))
    var limits = HTTPConnectionPool.Limits()
    limits.connectTimeout = .seconds(1)
    let pool = HTTPConnectionPool(try #require(HTTPOrigin(url)), limits: limits, route: ProxyRoute(proxy))
    let result: Result<Void, any Error>
    do { result = .success(try await body(pool)) } catch { result = .failure(error) }
    await pool.shutdown()
    server.stop()
    try result.get()
  }

  private func get(_ pool: HTTPConnectionPool) async throws -> [UInt8] {
    try await pool.execute(HTTPRequest(.GET, "/x")).body.collect(upTo: 1 << 20)
  }

  private func failure(_ pool: HTTPConnectionPool) async -> String {
    do {
      _ = try await get(pool)
      return "no failure"
    } catch {
      return "\(error)"
    }
  }

  @Test func aTunnelIsMadeAndUsedAgain() async throws {
    let heads = Mutex<[String]>([])
    try await withProxy { connection, _ in
      while let head = connection.readHead() {
        heads.withLock { $0.append(head) }
        if head.hasPrefix("CONNECT") { connection.write("HTTP/1.1 200 OK\r\n\r\n") } else { connection.answer("yes") }
      }
    } _: { pool in
      for _ in 0..<2 {
        let answer = try await get(pool)
        #expect(answer == Array("yes".utf8))
      }
    }
    let seen = heads.withLock { $0 }
    #expect(seen.count == 3 && seen[0].hasPrefix("CONNECT hub.test:81 HTTP/1.1\r\n"))
    #expect(seen[0].contains("Proxy-Authorization: Basic dXNlcjpzZWNyZXQ="))
    // What goes through the tunnel is not the proxy's to see.
    #expect(seen.dropFirst().allSatisfy { $0.hasPrefix("GET /base/x ") && !$0.contains("Proxy-Authorization") })
  }

  @Test(arguments: [
    ("HTTP/1.1 407 No\r\n\r\n", "refuses user and password"),
    ("HTTP/1.1 403 No\r\n\r\n", "forbids the way to hub.test:81"),
    ("hello\r\n\r\n", "is no proxy"), ("", "it has closed the connection"),
  ])
  func aRefusalIsReported(answer: String, text: String) async throws {
    try await withProxy { connection, _ in
      _ = connection.readHead()
      connection.write(answer)
    } _: { pool in
      let failure = await failure(pool)
      #expect(failure.contains("the proxy") || failure.contains("is no proxy"))
      #expect(failure.contains(text) && !failure.contains("secret"))
    }
  }

  @Test func aProxyThatHangsIsGivenUp() async throws {
    try await withProxy { connection, _ in
      while !connection.read().isEmpty {}
    } _: { pool in
      #expect(await failure(pool).contains("no answer in time"))
    }
  }

  @Test func aProxyThatIsAwayIsNamed() async throws {
    let pool = HTTPConnectionPool(
      HTTPOrigin("https://hub.test")!, route: ProxyRoute(HTTPProxy("http://127.0.0.1:1")))
    #expect(await failure(pool) == "the proxy http://127.0.0.1:1 is not to be reached: connection refused")
    await pool.shutdown()
  }
}
