import Foundation
import HubCore
import HubHTTP
import NIOCore
import NIOHTTP1
import Signalling
import Testing

/// What is refused, and how that is said.
@Suite(.timeLimit(.minutes(1)))
struct RequestTests {
  @Test(arguments: [
    ("evil.example", 403), ("127.0.0.1.evil.example", 403), ("", 403), ("127.0.0.1", 200), ("LOCALHOST:1", 200),
    ("[::1]:8080", 200), ("[::1]", 200), ("[::2]", 403),
  ])
  func onlyKnownHostsAreAnswered(host: String, status: Int) async throws {
    try await HubFixture.run { hub in
      let connection = try RawConnection(port: hub.port)
      connection.send("GET /healthz HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      let reply = await connection.receive(until: "}")
      #expect(reply.statuses == [status])
      if status == 403 { #expect(reply.isProblem && reply.text.contains("host-not-allowed")) }
    }
  }

  @Test func aBrowserReadsWhatToSetForAnUnknownHost() async throws {
    try await HubFixture.run { hub in
      for (host, shown) in [("door.example:8443", "door.example:8443"), ("<script>", "hub.example.org")] {
        let connection = try RawConnection(port: hub.port)
        connection.send("GET / HTTP/1.1\r\nHost: \(host)\r\nAccept: text/html,*/*\r\n\r\n")
        let reply = await connection.receive(until: "</html>")
        #expect(reply.statuses == [403] || host == "<script>")
        if reply.statuses == [403] {
          #expect(reply.text.contains("allowed_hosts = [\"\(shown)\"]") && !reply.text.contains("<script>"))
          #expect(reply.text.lowercased().contains("content-security-policy: default-src 'none'"))
        }
      }
    }
  }

  @Test func onlyOwnAndAllowedOriginsAreAnswered() async throws {
    var configuration = HubConfiguration()
    configuration.allowedOrigins = ["https://intranet.example"]
    try await HubFixture.run(configuration) { hub in
      let own = "http://127.0.0.1:\(hub.port)"
      let origins = [
        (own, 200), ("https://intranet.example", 200), ("http://evil.example", 403), ("null", 403),
        ("http://127.0.0.1:1", 403), ("http://localhost:\(hub.port)", 403), ("https://intranet.example.evil", 403),
      ]
      for (origin, status) in origins {
        let reply = try await hub.send(.GET, "/healthz", headers: [("Origin", origin)])
        #expect(reply.status == status, "\(origin)")
      }
      let login = LoginRequest(userTitle: "x", password: "y")
      let reply = try await hub.send(.POST, "/v1/login", login, headers: [("Origin", "http://evil.example")])
      #expect(reply.status == 403 && reply.problem == "origin-not-allowed")
    }
  }

  @Test(arguments: [
    ("{", "body: is no valid JSON"), ("[]", "body: must be an object"), ("{}", "userTitle: is missing"),
    (#"{"userTitle": 3}"#, "userTitle: must be a text"),
    (#"{"userTitle": null}"#, "userTitle: must not be null"),
    (#"{"userTitle": "x", "password": "a", "enrolmentKey": "b"}"#, "password, enrolmentKey: give one"),
    ("", "body: is no valid JSON"), ("\u{FF}", "body: is no valid JSON"),
  ])
  func badJSONIsNamedByItsField(body: String, detail: String) async throws {
    try await HubFixture.run { hub in
      let reply = try await hub.send(.POST, "/v1/login", bytes: ByteBuffer(string: body))
      #expect(reply.status == 400 && reply.problem == "invalid-request")
      #expect(reply.detail?.hasPrefix(detail) == true, "\(reply.detail ?? "no detail")")
    }
  }

  @Test func presenceBeyondItsLimitHasToWait() async throws {
    var limits = HubLimits()
    limits.presenceUpdatesPerMinute = 3
    try await HubFixture.run(limits: limits) { hub in
      let (user, other) = (try await hub.addPerson("user"), try await hub.addPerson("other"))
      let update = PresenceUpdate(kind: .person, isAudio: true, isVideo: true)
      for _ in 0..<3 { #expect(try await hub.send(.PUT, "/v1/presence", update, by: user).status == 204) }
      let refused = try await hub.send(.PUT, "/v1/presence", update, by: user)
      #expect(refused.status == 429 && refused.problem == "rate-limited")
      #expect(refused.headers.first(name: "Retry-After").flatMap { Int($0) }.map { (1...20).contains($0) } == true)
      #expect(try await hub.send(.PUT, "/v1/presence", update, by: other).status == 204)
      #expect(try await hub.metric("presence_refused_total") == 1)
    }
  }

  @Test func anonymousTitlesAreNormalisedAndPassForNobodys() async throws {
    var configuration = HubConfiguration()
    configuration.anonymousLogin = true
    try await HubFixture.run(configuration) { hub in
      _ = try await hub.addDevice("Front door")
      for (title, status, problem) in [
        ("Fr\u{43E}nt d\u{43E}\u{43E}r", 400, "bad-title"), ("Front\u{200B} door", 400, "bad-title"),
        ("FRONT  \u{FF24}OOR", 403, "title-taken"), ("\u{421}\u{41E}\u{420}", 200, nil), ("", 400, "bad-title"),
      ] as [(String, Int, String?)] {
        let reply = try await hub.send(.POST, "/v1/login", LoginRequest(userTitle: title))
        #expect(reply.status == status && reply.problem == problem, "\(title)")
      }
    }
  }

  @Test func nestedFieldsAreNamedByTheirPath() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      let body = #"{"candidates":[{"candidate":"a"},{"candidate":7}]}"#
      let path = "/v1/sessions/\(UUID().uuidString)/candidates"
      let reply = try await hub.send(.POST, path, bytes: ByteBuffer(string: body), by: user)
      #expect(reply.detail == "candidates.[1].candidate: must be a text")
    }
  }

  @Test func whatIsTooLargeIsRefused() async throws {
    try await HubFixture.run { hub in
      let large = ByteBuffer(repeating: UInt8(ascii: " "), count: maximumBody + 1)
      let declared = try await hub.send(.POST, "/v1/login", bytes: large)
      #expect(declared.status == 413 && declared.problem == "too-large")
      let chunked = try RawConnection(port: hub.port)
      chunked.send(
        "POST /v1/login HTTP/1.1\r\nHost: 127.0.0.1:\(hub.port)\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "\(String(maximumBody + 1, radix: 16))\r\n\(String(repeating: " ", count: maximumBody + 1))\r\n0\r\n\r\n")
      #expect(await chunked.receive(until: "}").statuses == [413])
      let header = try await hub.send(.GET, "/healthz", headers: [("X-Large", String(repeating: "x", count: 20_000))])
      #expect((400..<500).contains(header.status))
    }
  }

  @Test func everythingElseNeedsABearerTokenInItsHeader() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      let requests: [(HTTPMethod, String)] = [
        (.PUT, "/v1/presence"), (.DELETE, "/v1/presence"), (.GET, "/v1/users"), (.GET, "/v1/events"),
        (.PUT, "/v1/sessions/\(UUID().uuidString)"), (.POST, "/v1/uploads/x"), (.GET, "/v1/users/x/archives"),
      ]
      for (method, path) in requests {
        let reply = try await hub.send(method, path)
        #expect(reply.status == 401 && reply.problem == "not-authenticated", "\(path)")
        #expect(reply.headers.first(name: "WWW-Authenticate") == "Bearer")
      }
      let inURL = try await hub.send(.GET, "/v1/users?access_token=\(user.token)")
      #expect(inURL.status == 401)
      let inCookie = try await hub.send(.GET, "/v1/users", headers: [("Cookie", "token=\(user.token)")])
      #expect(inCookie.status == 401)
    }
  }

  @Test func unknownRoutesAndMethodsAreProblems() async throws {
    try await HubFixture.run { hub in
      let requests: [(HTTPMethod, String, Int)] = [
        (.GET, "/v1/nothing", 404), (.POST, "/v1/users", 405), (.GET, "/nothing", 404), (.GET, "/%00", 404),
        (.GET, "/v1/users/a%2Fb/archives", 401), (.GET, "/v1%2Fusers", 404),
      ]
      for (method, path, status) in requests {
        let reply = try await hub.send(method, path)
        #expect(reply.status == status, "\(path)")
        #expect(reply.problem != nil)
      }
    }
  }

  @Test(arguments: [
    ("latitude=52", "latitude, longitude: give both"), ("latitude=a&longitude=1", "latitude: must be a number"),
    ("latitude=91&longitude=1", "latitude, longitude: not a place"), ("within=5ly", "within: must be a distance"),
    ("limit=0", "limit: must be 1 to 1000"), ("limit=1001", "limit: must be 1 to 1000"), ("limit=x", "limit: must be"),
    ("latitude=nan&longitude=1", "latitude: must be a number"),
  ])
  func badQueriesAreNamedByTheirField(query: String, detail: String) async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      let reply = try await hub.send(.GET, "/v1/users?\(query)", by: user)
      #expect(reply.status == 400)
      #expect(reply.detail?.hasPrefix(detail) == true, "\(reply.detail ?? "no detail")")
    }
  }

  @Test func aSessionIDIsAUUID() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      let call = SessionRequest(receiverID: "x", isAudio: true, isVideo: true, offer: "")
      let reply = try await hub.send(.PUT, "/v1/sessions/mine", call, by: user)
      #expect(reply.status == 400 && reply.detail == "id: a session id is a UUID")
    }
  }

  @Test func healthAndMetricsAnswerWithoutToken() async throws {
    try await HubFixture.run { hub in
      #expect(try await hub.send(.GET, "/healthz").text == #"{"status":"ok"}"#)
      #expect(try await hub.metric("presence_updates_total") == 0)
      let user = try await hub.addPerson("user")
      let update = PresenceUpdate(kind: .person, isAudio: true, isVideo: true)
      #expect(try await hub.send(.PUT, "/v1/presence", update, by: user).status == 204)
      #expect(try await hub.metric("presence_updates_total") == 1)
    }
  }
}

private let maximumBody = 64 << 10
