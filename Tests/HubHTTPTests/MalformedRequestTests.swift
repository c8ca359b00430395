import Foundation
import HubHTTP
import NIOCore
import NIOHTTP1
import Testing

/// What is sent to the hub is not HTTP, or HTTP that two readers could understand differently.
@Suite(.timeLimit(.minutes(1)))
struct MalformedRequestTests {
  private static let host = "Host: 127.0.0.1\r\n"
  private static let post = "POST /v1/login HTTP/1.1\r\n\(host)"

  @Test(arguments: [
    ("\(post)Transfer-Encoding: nonsense\r\n\r\n", 400), ("\(post)Transfer-Encoding: chunked, gzip\r\n\r\n", 400),
    ("\(post)Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("\(post)Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n", 400),
    ("\(post)Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", 400),
    ("\(post)Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n", 400),
    ("\(post)Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n", 400),
    ("\(post)Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n", 400),
    ("POST /v1/login HTTP/1.0\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("\(post)Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ", 400),
    ("\(post)Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400), ("\(post)Content-Length: 2, 3\r\n\r\n{} ", 400),
    ("\(post)Content-Length: -1\r\n\r\n", 400), ("\(post)Content-Length: +2\r\n\r\n{}", 400),
    ("\(post)Content-Length: 99999999999999999999\r\n\r\n", 400),
    ("GET /healthz HTTP/1.1\r\n\(host)\(host)\r\n", 400),
    ("GET /healthz HTTP/1.1\r\n\(host)Host: evil.example\r\n\r\n", 400), ("GET /healthz HTTP/1.1\r\n\r\n", 400),
    ("GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n", 403), ("GET /healthz HTTP/3.0\r\n\(host)\r\n", 505),
    ("GET /healthz HTTP/1.1\r\n\(host)X Y: 1\r\n\r\n", 400), ("GET /healthz HTTP/1.1\r\n\(host): x\r\n\r\n", 400),
    ("GET /healthz HTTP/1.1\r\n\(host)X: a\0b\r\n\r\n", 400),
    ("GET healthz HTTP/1.1\r\n\(host)\r\n", 400), ("GET * HTTP/1.1\r\n\(host)\r\n", 400),
    ("GET http://evil.example/healthz HTTP/1.1\r\n\(host)\r\n", 400),
    ("GET http://127.0.0.1.evil.example/healthz HTTP/1.1\r\n\(host)\r\n", 400),
    ("GET /%FF HTTP/1.1\r\n\(host)\r\n", 400), ("GET /%zz HTTP/1.1\r\n\(host)\r\n", 400),
    ("GET /\u{E4} HTTP/1.1\r\n\(host)\r\n", 400),
    ("GET /\(String(repeating: "a", count: 5_000)) HTTP/1.1\r\n\(host)\r\n", 414),
    ("GET /\(String(repeating: "a", count: 50_000)) HTTP/1.1\r\n\(host)\r\n", 431),
    ("GET /healthz HTTP/1.1\r\n\(host)X: \(String(repeating: "x", count: 20_000))\r\n\r\n", 431),
    ("GET /healthz HTTP/1.1\r\n\(host)\(String(repeating: "X: y\r\n", count: 100))\r\n", 431),
    ("CONNECT example.org:443 HTTP/1.1\r\n\(host)\r\n", 501), ("PROPFIND / HTTP/1.1\r\n\(host)\r\n", 501),
    ("\(post)Expect: a-miracle\r\nContent-Length: 2\r\n\r\n{}", 417), ("nonsense\r\n\r\n", 400),
    ("\u{16}\u{3}\u{1}\u{2}\0\u{1}\0", 400),
  ])
  func isAnsweredWithAProblemAndTheConnectionCloses(request: String, status: Int) async throws {
    try await HubFixture.run { hub in
      let connection = try RawConnection(port: hub.port)
      connection.send(request)
      let received = await connection.receive()
      #expect(received.statuses == [status], "\(received.text)")
      #expect(received.isProblem && (received.isClosed || status == 403))
      #expect(try await hub.send(.GET, "/healthz").status == 200)
    }
  }

  @Test func garbageBehindAGoodRequestLeavesItsAnswer() async throws {
    try await HubFixture.run { hub in
      let connection = try RawConnection(port: hub.port)
      connection.send(
        "GET /healthz HTTP/1.1\r\n\(Self.host)\r\nGET /.well-known/jwks.json HTTP/1.1\r\n\(Self.host)\r\nnonsense\r\n\r\n"
      )
      let received = await connection.receive()
      #expect(received.statuses == [200, 200, 400] && received.isProblem && received.isClosed, "\(received.text)")
    }
  }

  @Test func aWholeURLOfTheHostIsAPath() async throws {
    try await HubFixture.run { hub in
      let connection = try RawConnection(port: hub.port)
      connection.send("GET http://127.0.0.1/healthz HTTP/1.1\r\n\(Self.host)\r\n")
      #expect(await connection.receive(until: "ok").statuses == [200])
    }
  }

  @Test func oldVersionsAreAnsweredWithoutChunksAndClosed() async throws {
    try await HubFixture.run { hub in
      let connection = try RawConnection(port: hub.port)
      connection.send("GET /healthz HTTP/1.0\r\n\(Self.host)\r\n")
      let received = await connection.receive()
      #expect(received.statuses == [200] && received.isClosed && received.text.hasSuffix(#"{"status":"ok"}"#))
      #expect(!received.text.contains("chunked"))
    }
  }

  @Test func anOldVersionIsNotAskedForItsBody() async throws {
    try await HubFixture.run { hub in
      let connection = try RawConnection(port: hub.port)
      connection.send("POST /v1/login HTTP/1.0\r\n\(Self.host)Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}")
      #expect(await connection.receive().statuses == [400])
    }
  }

  @Test func anUpgradeIsNotTakenAndTheConnectionCloses() async throws {
    try await HubFixture.run { hub in
      let connection = try RawConnection(port: hub.port)
      connection.send(
        "GET /healthz HTTP/1.1\r\n\(Self.host)Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n")
      let received = await connection.receive()
      #expect(
        received.statuses == [200] && received.isClosed && received.text.lowercased().contains("connection: close"))
    }
  }

  @Test func aPipelinedBodyIsAskedForAfterTheResponseBeforeIt() async throws {
    try await HubFixture.run { hub in
      let connection = try RawConnection(port: hub.port)
      let expecting = "\(Self.post)Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
      connection.send("GET /healthz HTTP/1.1\r\n\(Self.host)\r\n\(expecting)")
      #expect(await connection.receive(until: "Continue\r\n\r\n").statuses == [200, 100])
      connection.send("{}")
      #expect(await connection.receive(until: "}").statuses == [400])
    }
  }

  @Test func aBodyIsAskedForWhereTheClientWaitsForThat() async throws {
    try await HubFixture.run { hub in
      let connection = try RawConnection(port: hub.port)
      connection.send("\(Self.post)Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n")
      #expect(await connection.receive(until: "\r\n\r\n").statuses == [100])
      connection.send("{}")
      let received = await connection.receive(until: "}")
      #expect(received.statuses == [400] && received.text.contains("userTitle: is missing"), "\(received.text)")
    }
  }

  @Test func aChunkedBodyThatIsTooLargeEndsTheConnection() async throws {
    try await HubFixture.run { hub in
      let connection = try RawConnection(port: hub.port)
      connection.send("\(Self.post)Transfer-Encoding: chunked\r\n\r\n")
      let chunk = "4000\r\n\(String(repeating: " ", count: 0x4000))\r\n"
      for _ in 0..<6 { connection.send(chunk) }
      let received = await connection.receive()
      #expect(received.statuses == [413] && received.isProblem && received.isClosed, "\(received.text)")
    }
  }

  @Test func headIsAnsweredAsGetWithoutABody() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      for path in ["/healthz", "/v1/users", "/v1/events"] {
        let connection = try RawConnection(port: hub.port)
        let token = "Authorization: Bearer \(user.token)\r\n"
        connection.send("HEAD \(path) HTTP/1.1\r\n\(Self.host)\(token)\r\nGET /healthz HTTP/1.1\r\n\(Self.host)\r\n")
        let received = await connection.receive(until: "ok\"}")
        // A stream of events is the last response of its connection.
        guard path != "/v1/events" else {
          #expect(received.statuses == [200] && received.isClosed && received.text.hasSuffix("\r\n\r\n"))
          continue
        }
        #expect(received.statuses == [200, 200], "\(received.text)")
        #expect(received.text.contains("\r\n\r\nHTTP/1.1 200 OK"))
      }
      let reply = try await hub.send(.HEAD, "/healthz")
      #expect(reply.headers.first(name: "Content-Length") == "15" && reply.text.isEmpty)
      #expect(try await hub.metric("event_streams") == 0)
    }
  }

  @Test(arguments: [
    ("POST", "/healthz", "GET, HEAD, OPTIONS"), ("GET", "/v1/login", "DELETE, OPTIONS, POST"),
    ("HEAD", "/v1/login", "DELETE, OPTIONS, POST"), ("POST", "/v1/presence", "DELETE, OPTIONS, PUT"),
    ("DELETE", "/v1/users", "GET, HEAD, OPTIONS"), ("TRACE", "/healthz", "GET, HEAD, OPTIONS"),
    ("PATCH", "/v1/sessions/x", "DELETE, OPTIONS, PUT"),
  ])
  func aWrongMethodIsToldTheRightOnes(method: String, path: String, allowed: String) async throws {
    try await HubFixture.run { hub in
      let connection = try RawConnection(port: hub.port)
      connection.send("\(method) \(path) HTTP/1.1\r\n\(Self.host)Connection: close\r\n\r\n")
      let received = await connection.receive()
      #expect(received.statuses == [405] && received.text.contains("Allow: \(allowed)\r\n"), "\(received.text)")
      #expect(method == "HEAD" || received.isProblem)
    }
  }

  @Test func optionsNamesTheMethods() async throws {
    try await HubFixture.run { hub in
      let reply = try await hub.send(.OPTIONS, "/v1/presence")
      #expect(reply.status == 204 && reply.headers.first(name: "Allow") == "DELETE, OPTIONS, PUT")
      let connection = try RawConnection(port: hub.port)
      connection.send("OPTIONS * HTTP/1.1\r\n\(Self.host)\r\n")
      #expect([204, 404].contains(await connection.receive(until: "\r\n\r\n").statuses.first))
      #expect(try await hub.send(.OPTIONS, "/v1/nothing").status == 404)
      #expect(try await hub.send(.POST, "/v1/nothing").problem == "not-found")
    }
  }

  @Test(arguments: [
    (#"{"userTitle": 1e400}"#, "userTitle: "), (#"{"userTitle": "\ud800"}"#, "body: is no valid JSON"),
    (String(repeating: "[", count: 60_000), "body: is no valid JSON"),
    (#"{"userTitle": "# + String(repeating: #"{"a":"#, count: 10_000), "body: is no valid JSON"),
    (#"{"userTitle": "x"} trailing"#, "body: is no valid JSON"),
    (#"{"userTitle": ["x"]}"#, "userTitle: must be a text"),
    (#"{"userTitle": {"x": 1}}"#, "userTitle: must be a text"), ("null", "body: must"),
    ("3", "body: must be an object"),
  ])
  func hostileJSONIsRefusedInPlainWords(body: String, detail: String) async throws {
    try await HubFixture.run { hub in
      let reply = try await hub.send(.POST, "/v1/login", bytes: ByteBuffer(string: body))
      #expect(reply.status == 400 && reply.problem == "invalid-request")
      #expect(reply.detail?.hasPrefix(detail) == true, "\(reply.detail ?? "no detail")")
      #expect(reply.detail?.contains("<") == false && reply.detail?.contains("String") == false)
    }
  }
}
