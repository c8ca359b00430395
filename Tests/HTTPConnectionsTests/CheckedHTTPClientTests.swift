import NIOCore
import NIOHTTP1
import SystemSupport
import Testing

@testable import HTTPConnections

/// Against a server of raw octets on loopback.
@Suite("Requests to servers that strangers name", .timeLimit(.minutes(1)))
struct CheckedHTTPClientTests {
  private func withServer(
    _ limits: CheckedHTTPClient.Limits = .init(), script: @escaping RawServer.Script,
    _ body: (CheckedHTTPClient, HTTPOrigin) async throws -> Void
  ) async throws {
    let server = RawServer(nil, script)
    let origin = try #require(HTTPOrigin("http://127.0.0.1:\(server.port)"))
    let client = CheckedHTTPClient(limits: limits)
    let result: Result<Void, any Error>
    do { result = .success(try await body(client, origin)) } catch { result = .failure(error) }
    await client.shutdown()
    server.stop()
    try result.get()
  }

  @Test func eachRequestHasAConnectionOfItsOwn() async throws {
    let connections = Mutex(0)
    try await withServer { connection, _ in
      connections.withLock { $0 += 1 }
      while connection.readHead() != nil { connection.answer("yes") }
    } _: { client, origin in
      for count in 1...3 {
        let answer = try await client.exchange(HTTPRequest(.GET, "/x"), with: origin) { $0 == "127.0.0.1" }
        #expect(String(decoding: answer.body, as: UTF8.self) == "yes")
        #expect(connections.withLock { $0 } == count)
      }
    }
  }

  @Test func anAddressThatIsNotAllowedIsNotReached() async throws {
    let connections = Mutex(0)
    try await withServer { _, _ in
      connections.withLock { $0 += 1 }
    } _: { client, origin in
      await #expect(throws: AddressRefusal.notAllowed) {
        try await client.exchange(HTTPRequest(.GET, "/x"), with: origin) { _ in false }
      }
      await #expect(throws: AddressRefusal.notAllowed) { try await client.check("localhost") { _ in false } }
      await #expect(throws: AddressRefusal.unknownName) { try await client.check("name.invalid") { _ in true } }
      try await client.check("localhost") { $0 == "127.0.0.1" || $0 == "::1" }
    }
    #expect(connections.withLock { $0 } == 0)
  }

  @Test func answersAreBounded() async throws {
    var limits = CheckedHTTPClient.Limits()
    (limits.answer, limits.time) = (10, .milliseconds(500))
    try await withServer(limits) { connection, _ in
      guard let head = connection.readHead() else { return }
      if head.contains("/long") { connection.answer("more than ten octets") }
      // Else it says nothing.
      _ = connection.readHead()
    } _: { client, origin in
      await #expect(throws: HTTPConnectionError.answerTooLong) {
        try await client.exchange(HTTPRequest(.GET, "/long"), with: origin) { _ in true }
      }
      await #expect(throws: HTTPConnectionError.timedOut) {
        try await client.exchange(HTTPRequest(.GET, "/silent"), with: origin) { _ in true }
      }
    }
  }
}
