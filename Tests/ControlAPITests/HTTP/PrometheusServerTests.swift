import ControlAPI
import ControlMessages
import Foundation
import SystemSupport
import Logging
import Testing

@Suite("The endpoint for Prometheus", .timeLimit(.minutes(1)))
struct PrometheusServerTests {
  private struct Failure: Error {}

  private func withServer(
    _ limits: LocalHTTPServer.Limits = .init(),
    read: @escaping @Sendable () async throws -> DeviceTelemetry = { sampleFigures() },
    _ body: @escaping @Sendable (Int) throws -> Void
  ) async throws {
    let server = PrometheusServer(
      .loopback(host: "127.0.0.1", port: 0), limits: limits,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, read: read)
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

  private static func ask(_ port: Int, _ line: String, headers: [String] = ["Host: localhost"]) throws -> String {
    let connection = try LoopbackConnection(port: port)
    connection.send(([line + " HTTP/1.1"] + headers + ["Accept: */*", "", ""]).joined(separator: "\r\n"))
    return try #require(connection.readAll())
  }

  @Test("figures are at /metrics, with a length that is true, and nothing elsewhere")
  func paths() async throws {
    try await withServer { port in
      let answer = try Self.ask(port, "GET /metrics?x=1")
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4"))
      let body = try #require(answer.firstRange(of: "\r\n\r\n").map { answer[$0.upperBound...] })
      #expect(answer.contains("Content-Length: \(body.utf8.count)\r\n"))
      #expect(body.contains("livesessions_calls 1\n"))
      #expect(try Self.ask(port, "HEAD /metrics").hasSuffix("\r\n\r\n"))
      #expect(try Self.ask(port, "GET /").hasPrefix("HTTP/1.1 404 "))
      let refused = try Self.ask(port, "POST /metrics")
      #expect(refused.hasPrefix("HTTP/1.1 405 ") && refused.contains("Allow: GET, HEAD\r\n"))
    }
  }

  @Test("figures that cannot be taken are an error")
  func failure() async throws {
    try await withServer(read: { throw Failure() }) { port in
      let answer = try Self.ask(port, "GET /metrics")
      #expect(answer.hasPrefix("HTTP/1.1 500 "))
    }
  }

  @Test("what is too long, or is no HTTP, ends the connection")
  func hostile() async throws {
    try await withServer { port in
      for text in [
        "GET /metrics HTTP/1.1\r\nX: " + String(repeating: "x", count: 9_000), "nonsense\r\n\r\n", "\u{16}\u{3}\u{1}",
      ] {
        let connection = try LoopbackConnection(port: port)
        connection.send(text)
        #expect(text.count < 5 || connection.readAll() == "")
      }
      #expect(try Self.ask(port, "GET /metrics").hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test("who sends nothing, or too slowly, is disconnected")
  func slow() async throws {
    var limits = LocalHTTPServer.Limits()
    limits.requestTime = .milliseconds(200)
    try await withServer(limits) { port in
      let (silent, slow) = (try LoopbackConnection(port: port), try LoopbackConnection(port: port))
      slow.send("GET /metrics")
      #expect(silent.readAll() == "")
      #expect(slow.readAll() == "")
    }
  }

  @Test("clients that only stay give way, the oldest first")
  func crowd() async throws {
    var limits = LocalHTTPServer.Limits()
    limits.connections = 2
    try await withServer(limits) { port in
      let (first, second) = (try LoopbackConnection(port: port), try LoopbackConnection(port: port))
      let crowd = try (0..<24).map { _ in try LoopbackConnection(port: port) }
      #expect(first.readAll() == "" && second.readAll() == "")
      #expect(try Self.ask(port, "GET /metrics").hasPrefix("HTTP/1.1 200 "))
      #expect(crowd[0].readAll() == "")
    }
  }

  @Test("pages in a browser of the machine get nothing")
  func pages() async throws {
    try await withServer { port in
      for host in ["localhost", "LOCALHOST:9151", "127.0.0.1:\(port)", "[::1]"] {
        #expect(try Self.ask(port, "GET /metrics", headers: ["Host: \(host)"]).hasPrefix("HTTP/1.1 200 "), "\(host)")
      }
      let foreign = [
        ["Host: evil.example"], ["Host: localhost.evil.example:80"], ["Host: localhost", "Host: evil.example"], [],
        ["Host: localhost", "Origin: http://evil.example"], ["Host: 127.0.0.1", "Origin: null"],
      ]
      for headers in foreign {
        let answer = try Self.ask(port, "GET /metrics", headers: headers)
        #expect(answer.hasPrefix("HTTP/1.1 403 ") && !answer.contains("livesessions_"), "\(headers)")
      }
    }
  }
}
