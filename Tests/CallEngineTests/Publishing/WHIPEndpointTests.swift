import Foundation
import HTTPConnections
import MediaCore
import MediaPlaneAPI
import Signalling
import SystemSupport
import TestServers
import Testing

@testable import CallEngine

/// One connection at a time, each for one request, which is noted and answered by its place in a list.
private final class ScriptedServer: Sendable {
  let port: Int
  private let listener: CInt
  private let seen = Mutex<[String]>([])
  private let group = DispatchGroup()

  init(_ answers: [String]) {
    (listener, port) = listenOnLoopback(backlog: 16)
    group.enter()
    Thread.detachNewThread { [self] in
      for answer in answers { serve(answer.replacing("PORT", with: "\(port)")) }
      group.leave()
    }
  }

  /// Heads and bodies.
  var requests: [String] { seen.withLock { $0 } }

  func stop() {
    shutdown(listener, CInt(SHUT_RDWR))
    group.wait()
    close(listener)
  }

  private func serve(_ answer: String) {
    let connection = accept(listener, nil, nil)
    guard connection >= 0 else { return }
    defer { close(connection) }
    var (request, buffer) = ("", [UInt8](repeating: 0, count: 16_384))
    while !Self.isWhole(request), case let count = recv(connection, &buffer, buffer.count, 0), count > 0 {
      request += String(decoding: buffer[..<count], as: UTF8.self)
    }
    seen.withLock { $0.append(request) }
    let octets = Array(answer.utf8)
    _ = send(connection, octets, octets.count, CInt(MSG_NOSIGNAL))
  }

  private static func isWhole(_ request: String) -> Bool {
    guard let end = request.firstRange(of: "\r\n\r\n") else { return false }
    let line = request[..<end.lowerBound].split(separator: "\r\n").first {
      $0.lowercased().hasPrefix("content-length:")
    }
    let length = line.flatMap { Int($0.split(separator: ":")[1].drop { $0 == " " }) } ?? 0
    return request[end.upperBound...].utf8.count >= length
  }
}

@Suite("WHIP by HTTP", .timeLimit(.minutes(1)))
struct WHIPEndpointTests {
  private static let fragment = "a=ice-ufrag:EFGH\r\na=ice-pwd:abcdefghijabcdefghijab\r\n"

  private func answer(_ status: String, _ fields: String = "", _ body: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(fields)\r\n\(body)"
  }

  private func created(_ location: String, _ fields: String = "") -> String {
    answer("201 Created", "Content-Type: application/sdp\r\nLocation: \(location)\r\n\(fields)", "v=0\r\n")
  }

  private func withServer<Value>(
    _ answers: [String], _ body: (WHIPEndpoint, ScriptedServer) async throws -> Value
  ) async throws -> Value {
    let server = ScriptedServer(answers)
    defer { server.stop() }
    let endpoint = try #require(HTTPLocation("http://127.0.0.1:\(server.port)/whip/front?room=1"))
    let target = PublishTarget(
      name: "wall", endpoint: endpoint, occasion: .always, view: .main, kinds: [.video], readToken: { "t0ken" })
    return try await body(WHIPEndpoint(target: target), server)
  }

  private func failure(_ answers: [String]) async throws -> PublishFailure {
    try await withServer(answers) { endpoint, _ in
      do throws(PublishFailure) {
        let session = try await endpoint.begin(offer: "v=0\r\n")
        return PublishFailure("no failure: \(session.resource)", remedy: "")
      } catch {
        return error
      }
    }
  }

  @Test func aSessionIsBegunRestartedAndEnded() async throws {
    let link = "Link: <stun:s.example>; rel=\"ice-server\"\r\n"
    let answers = [
      answer("204 No Content", link), created("../s/1", link),
      answer("200 OK", "Content-Type: application/trickle-ice-sdpfrag\r\n", Self.fragment), answer("200 OK"),
    ]
    let requests = try await withServer(answers) { endpoint, server in
      #expect(await endpoint.iceServers() == [ICEServer(urls: ["stun:s.example"])])
      let session = try await endpoint.begin(offer: "v=0\r\n")
      #expect(session.resource == HTTPLocation("http://127.0.0.1:\(server.port)/s/1"))
      #expect(session.iceServers.count == 1)
      let offer = "v=0\r\nm=audio 9 X 0\r\n" + Self.fragment
      _ = try await endpoint.restart(session, offer: offer)
      await endpoint.end(session)
      return server.requests
    }
    #expect(
      requests.map { String($0.prefix { $0 != "\r\n" }) } == [
        "OPTIONS /whip/front?room=1 HTTP/1.1", "POST /whip/front?room=1 HTTP/1.1", "PATCH /s/1 HTTP/1.1",
        "DELETE /s/1 HTTP/1.1",
      ])
    #expect(requests.allSatisfy { $0.contains("Authorization: Bearer t0ken\r\n") })
    #expect(requests[1].contains("Content-Type: application/sdp\r\n") && requests[1].hasSuffix("v=0\r\n"))
    #expect(requests[2].contains("If-Match: *\r\n"))
  }

  @Test func theTokenStaysWithItsOrigin() async throws {
    let answers = [answer("308 Moved", "Location: http://localhost:PORT/elsewhere\r\n"), created("/s/1")]
    let requests = try await withServer(answers) { endpoint, server in
      let session = try await endpoint.begin(offer: "v=0\r\n")
      #expect(session.resource.origin.host == "localhost")
      return server.requests
    }
    #expect(requests[0].contains("t0ken") && !requests[1].contains("t0ken") && requests[1].hasSuffix("v=0\r\n"))
  }

  @Test func redirectsAreBounded() async throws {
    let failure = try await failure(Array(repeating: answer("307 Moved", "Location: ?again\r\n"), count: 4))
    #expect(failure.problem.contains("redirects more than 3 times") && failure.course == .lasting)
  }

  @Test(arguments: [
    ("401 Unauthorized", "token_file"), ("404 Not Found", "url in [[publish]]"), ("406 Not Acceptable", "VP8"),
    ("302 Found", "log"), ("200 OK", "log"),
  ])
  func aRefusalHasARemedy(status: String, remedy: String) async throws {
    let failure = try await failure([answer(status, "Location: /s/1\r\nContent-Type: application/sdp\r\n", "v=0\r\n")])
    #expect(failure.problem.contains(status.prefix(3)) && failure.remedy.contains(remedy))
    #expect(!failure.problem.contains("room=1"))
  }

  @Test func whatTheServerSaysIsOneLine() async throws {
    let failure = try await failure([
      answer("503 Busy", "Content-Type: text/plain\r\nRetry-After: 7\r\n", "full\u{1B}[2J\nmore")
    ])
    #expect(failure.problem.hasSuffix("answers with 503 (full\\u{1B}[2J)") && failure.retryAfter == .seconds(7))
  }

  @Test func anAnswerThatIsNoneIsRefused() async throws {
    #expect(
      try await failure([answer("201 Created", "Content-Type: text/html\r\nLocation: /s\r\n", "<html>")]).problem
        .contains("something else than SDP"))
    #expect(
      try await failure([answer("201 Created", "Content-Type: application/sdp\r\n", "v=0\r\n")]).problem
        .contains("(Location)"))
    #expect(try await failure([created("ftp://h/s")]).problem.contains("(Location)"))
    #expect(
      try await failure([created("/s", "X: " + String(repeating: "x", count: 100_000) + "\r\n")]).course == .passing)
  }
}
