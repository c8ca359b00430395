import Foundation
import SystemSupport
import NIOCore
import NIOHTTP1
import Testing

@testable import HTTPConnections

/// Answers and requests that come in pieces, over plain TCP.
@Suite("HTTP streams", .timeLimit(.minutes(1)))
struct StreamTests {
  private func withServer(
    idle: Duration = .seconds(4), script: @escaping RawServer.Script,
    _ body: (HTTPConnectionPool) async throws -> Void
  ) async throws {
    let server = RawServer(nil, script)
    var limits = HTTPConnectionPool.Limits()
    limits.idleTimeout = idle
    let pool = HTTPConnectionPool(try #require(HTTPOrigin("http://127.0.0.1:\(server.port)")), limits: limits)
    let result: Result<Void, any Error>
    do { result = .success(try await body(pool)) } catch { result = .failure(error) }
    await pool.shutdown()
    server.stop()
    try result.get()
  }

  @Test func anEventStreamLivesWhileThereAreEventsAndIsGivenUpInSilence() async throws {
    try await withServer(idle: .milliseconds(500)) { connection, _ in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      for number in 0..<10 {
        connection.write("7\r\ndata: \(number)\r\n")
        Thread.sleep(forTimeInterval: 0.2)
      }
      _ = connection.read()
    } _: { pool in
      var text = ""
      let began = ContinuousClock.now
      await #expect(throws: HTTPConnectionError.timedOut) {
        for try await piece in try await pool.execute(HTTPRequest(.GET, "/")).body { text += String(buffer: piece) }
      }
      #expect(text == (0..<10).map { "data: \($0)" }.joined())
      #expect((Duration.milliseconds(2_200)...(.milliseconds(3_500))).contains(ContinuousClock.now - began))
    }
  }

  /// The silence of a reader that has something to do is not the server's.
  @Test func aSlowReaderSlowsTheServerDown() async throws {
    let sent = Mutex(0)
    try await withServer(idle: .milliseconds(300)) { connection, _ in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 33554432\r\n\r\n")
      for _ in 0..<512 {
        guard connection.write([UInt8](repeating: 7, count: 65_536)) else { return }
        sent.withLock { $0 += 65_536 }
      }
    } _: { pool in
      let body = try await pool.execute(HTTPRequest(.GET, "/")).body
      try await Task.sleep(for: .milliseconds(600))
      // The kernel's buffers of both sides, and one read.
      #expect(sent.withLock { $0 } < 12 << 20)
      var count = 0
      for try await piece in body { count += piece.readableBytes }
      #expect(count == 33_554_432)
    }
  }

  /// Five megabytes in pieces; notes how many were asked for.
  private struct Pieces: AsyncSequence, Sendable {
    struct Broken: Error {}
    let asked = Counter()
    var failsAt = 80

    final class Counter: Sendable { let count = Mutex(0) }

    struct Iterator: AsyncIteratorProtocol {
      let pieces: Pieces

      mutating func next() async throws -> ByteBuffer? {
        let number = pieces.asked.count.withLock { count in
          defer { count += 1 }
          return count
        }
        guard number < 80 else { return nil }
        if number == pieces.failsAt { throw Broken() }
        return ByteBuffer(repeating: UInt8(number), count: 65_536)
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: self) }
  }

  private func upload(_ pieces: Pieces) -> HTTPRequest {
    HTTPRequest(.POST, "/", body: .chunks(pieces, length: 5_242_880))
  }

  @Test func fiveMegabytesAreUploadedInPieces() async throws {
    try await withServer { connection, _ in
      while let head = connection.readHead() {
        let body = connection.readBody(5_242_880)
        let isRight = body == (0..<80).flatMap { [UInt8](repeating: $0, count: 65_536) }
        connection.answer("\(head.contains("Content-Length: 5242880\r\n")) \(body.count) \(isRight)")
      }
    } _: { pool in
      for _ in 0..<2 {
        let answer = try await pool.execute(upload(Pieces())).body.collect(upTo: 100)
        #expect(String(decoding: answer, as: UTF8.self) == "true 5242880 true")
      }
    }
  }

  @Test func anUploadIsTakenAsFastAsTheServerReads() async throws {
    let pieces = Pieces()
    try await withServer(idle: .milliseconds(500)) { connection, _ in
      _ = connection.readHead()
      Thread.sleep(forTimeInterval: 2)
    } _: { pool in
      await #expect(throws: HTTPConnectionError.timedOut) { try await pool.execute(upload(pieces)) }
      #expect(pieces.asked.count.withLock { $0 } < 80)
    }
  }

  @Test func anAnswerBeforeTheEndOfAnUploadCounts() async throws {
    let pieces = Pieces()
    try await withServer { connection, number in
      _ = connection.readHead()
      if number == 0 { connection.write("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno") }
      if number == 0 { _ = connection.readBody(.max) } else { connection.answer("next") }
    } _: { pool in
      let answer = try await pool.execute(upload(pieces))
      #expect(answer.status == .notFound)
      #expect(try await answer.body.collect(upTo: 10) == Array("no".utf8))
      #expect(pieces.asked.count.withLock { $0 } < 80)
      #expect(try await pool.execute(HTTPRequest(.GET, "/")).body.collect(upTo: 10) == Array("next".utf8))
    }
  }

  @Test func anUploadThatFailsOnThisSideEndsItsConnection() async throws {
    let (ends, end) = AsyncStream.makeStream(of: Int.self)
    try await withServer { connection, _ in
      _ = connection.readHead()
      end.yield(connection.readBody(.max).count)
    } _: { pool in
      await #expect(throws: Pieces.Broken.self) { try await pool.execute(upload(Pieces(failsAt: 3))) }
      for await count in ends {
        #expect(count <= 3 * 65_536)
        break
      }
    }
  }
}
