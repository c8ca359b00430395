import ControlAPI
import ControlMessages
import Foundation
import Logging
import Testing

/// Requests of a program: the system's own client of HTTP would hide what is on the wire.
private struct Program {
  let port: Int
  var token: String? = ControlHTTPServerTests.token

  struct Answer {
    var status: Int
    var headers: String
    var body: String

    var json: [String: Any] {
      (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] ?? [:]
    }
  }

  func ask(_ line: String, body: String = "", headers: [String] = []) throws -> Answer {
    let connection = try LoopbackConnection(port: port)
    connection.send(request(line, body, headers))
    let text = try #require(connection.readAll())
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
    return Answer(
      status: Int(text.split(separator: " ")[1]) ?? 0, headers: String(parts[0]),
      body: parts.count > 1 ? String(parts[1]) : "")
  }

  func request(_ line: String, _ body: String = "", _ headers: [String] = []) -> String {
    var lines = [line + " HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers
    if let token { lines.append("Authorization: Bearer \(token)") }
    if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
    return (lines + ["", body]).joined(separator: "\r\n")
  }
}

private func check(_ holds: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(holds, sourceLocation: sourceLocation)
}

@Suite("Control by HTTP", .timeLimit(.minutes(1)))
struct ControlHTTPServerTests {
  static let token = "0123456789abcdef"

  private func withServer(
    _ access: ControlAccess = .full, _ device: FakeDevice = FakeDevice(),
    _ body: @escaping @Sendable (Int) throws -> Void
  ) async throws {
    let server = ControlHTTPServer(
      .loopback(host: "127.0.0.1", port: 0), control: device,
      permission: ControlHTTPServer.Permission(access: access, token: { Self.token }),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let (ports, sink) = AsyncStream.makeStream(of: Int.self)
    let task = Task { try await server.run { port in if let port { sink.yield(port) } } }
    var iterator = ports.makeAsyncIterator()
    let port = try #require(await iterator.next())
    let result = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: Result { try body(port) }) }
    }
    task.cancel()
    try await task.value
    try result.get()
  }

  @Test("a method takes JSON, and answers with its reply's parameters")
  func methods() async throws {
    let device = FakeDevice()
    try await withServer(.full, device) { port in
      let program = Program(port: port)
      let called = try program.ask("POST /methods/Call", body: #"{"user": "Ann"}"#)
      #expect(called.status == 200 && called.body == "{\"sessionID\":\"s2\"}\n")
      #expect(called.headers.contains("Content-Type: application/json"))
      check(try program.ask("POST /methods/HangUp", body: #"{"sessionID":"s1"}"#).body == "{}\n")
      let archives = try program.ask("GET /methods/ArchiveList?limit=1")
      #expect(archives.status == 200 && (archives.json["archives"] as? [Any])?.count == 1)
    }
    #expect(device.recordedCalls.contains("call Ann all") && device.recordedCalls.contains("hangUp s1"))
  }

  @Test("status, image and interface have addresses of their own")
  func pages() async throws {
    try await withServer { port in
      let program = Program(port: port)
      check(try program.ask("GET /status").json["title"] as? String == "Gate ☎")
      check(try program.ask("GET /snapshot.jpg").headers.contains("Content-Type: image/jpeg"))
      check(try program.ask("GET /interface").body.contains("interface org.livesessions.Device"))
      check(try program.ask("POST /status").status == 405)
      check(try program.ask("GET /nothing").status == 404)
    }
  }

  @Test(
    "what is wrong gets a status, a name and words",
    arguments: [
      ("POST /methods/HangUp", #"{"sessionID":"s9"}"#, 404, "NoSuchSession"),
      ("POST /methods/HangUp", #"{"session":"s1"}"#, 400, "InvalidParameter"),
      ("POST /methods/HangUp", #"{"sessionID":"s1"},"oneway":true"#, 400, "InvalidParameter"),
      ("POST /methods/HangUp", "[1]", 400, "InvalidParameter"),
      ("POST /methods/HangUp", String(repeating: "[", count: 5_000), 400, "InvalidParameter"),
      ("POST /methods/Nothing", "{}", 404, "MethodNotFound"),
      ("POST /methods/Monitor", "{}", 400, "ExpectedMore"),
      ("GET /methods/ArchiveList?limit=many", "", 400, "InvalidParameter"),
      ("GET /methods/ArchiveList?limit=1&limit=2", "", 400, "InvalidParameter"),
      ("GET /snapshot.jpg?zoom=2", "", 400, "InvalidParameter"),
    ])
  func mistakes(line: String, body: String, status: Int, name: String) async throws {
    try await withServer { port in
      let answer = try Program(port: port).ask(line, body: body)
      #expect(answer.status == status && answer.json["error"] as? String == name, "\(answer)")
      #expect((answer.json["message"] as? String)?.isEmpty == false)
    }
  }

  @Test(
    "a request without the token, of a page, or to another host is refused", arguments: ["/status", "/methods/Reload"])
  func strangers(path: String) async throws {
    let device = FakeDevice()
    try await withServer(.full, device) { port in
      for token in [nil, "", "0123456789abcdeX", "0123456789abcde", "0123456789abcdef0"] {
        let answer = try Program(port: port, token: token).ask("POST \(path)", body: "{}")
        #expect(answer.status == 401 && answer.headers.contains("WWW-Authenticate: Bearer"))
      }
      let page = try Program(port: port).ask("POST \(path)", body: "{}", headers: ["Origin: http://127.0.0.1"])
      #expect(page.status == 403)
      check(try Program(port: port).ask("POST \(path)", body: "{}", headers: ["Host: evil.example"]).status == 403)
    }
    #expect(device.recordedCalls.isEmpty)
  }

  @Test("who may only watch changes nothing, and sees no image")
  func monitoring() async throws {
    let device = FakeDevice()
    try await withServer(.monitoring, device) { port in
      let program = Program(port: port)
      check(try program.ask("GET /status").status == 200)
      check(try program.ask("POST /methods/Reload", body: "{}").status == 403)
      check(try program.ask("GET /snapshot.jpg").status == 403)
      check(try program.ask("GET /methods/Reload").status == 403)
    }
    #expect(device.recordedCalls.isEmpty)
  }

  @Test("events come as they happen, and who goes away leaves nothing behind")
  func events() async throws {
    let device = FakeDevice()
    try await withServer(.full, device) { port in
      let connection = try LoopbackConnection(port: port)
      connection.send(Program(port: port).request("GET /events"))
      let head = try #require(connection.read(until: "\r\n\r\n"))
      #expect(head.contains("text/event-stream"))
      device.events.yield(DeviceEvent(name: "call.ringing", time: 5, sessionID: "s1"))
      let event = try #require(connection.read(until: "\n\n"))
      #expect(event.contains("event: call.ringing\ndata: {") && event.contains("\"sessionID\":\"s1\""))
    }
  }

  @Test("a request that is too large ends its connection")
  func tooLarge() async throws {
    try await withServer { port in
      let connection = try LoopbackConnection(port: port)
      connection.send(Program(port: port).request("POST /methods/Say", String(repeating: " ", count: 100_000)))
      #expect(connection.readAll() == "")
    }
  }
}
