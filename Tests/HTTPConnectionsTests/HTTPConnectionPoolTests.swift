import Foundation
import SystemSupport
import NIOCore
import NIOHTTP1
import Testing

@testable import HTTPConnections

/// Against a server of raw octets on loopback.
@Suite("HTTP connections", .timeLimit(.minutes(1)))
struct HTTPConnectionPoolTests {
  private func limits(idle: Duration = .seconds(4)) -> HTTPConnectionPool.Limits {
    var limits = HTTPConnectionPool.Limits()
    limits.connectTimeout = .seconds(4)
    limits.idleTimeout = idle
    return limits
  }

  /// Runs a pool against a server and takes both down again.
  private func withServer(
    _ limits: HTTPConnectionPool.Limits? = nil, script: @escaping RawServer.Script,
    _ body: (HTTPConnectionPool, RawServer) async throws -> Void
  ) async throws {
    let server = RawServer(nil, script)
    let origin = try #require(HTTPOrigin("http://127.0.0.1:\(server.port)/base/"))
    let pool = HTTPConnectionPool(origin, limits: limits ?? self.limits())
    let result: Result<Void, any Error>
    do { result = .success(try await body(pool, server)) } catch { result = .failure(error) }
    await pool.shutdown()
    server.stop()
    try result.get()
  }

  private func get(_ pool: HTTPConnectionPool, _ path: String = "/x", upTo limit: Int = 1_000) async throws -> String {
    String(decoding: try await pool.execute(HTTPRequest(.GET, path)).body.collect(upTo: limit), as: UTF8.self)
  }

  private func failure(_ body: () async throws -> Void) async -> (any Error)? {
    do { try await body() } catch { return error }
    return nil
  }

  /// What the pool says of a server that behaves like this.
  private func failure(
    of script: @escaping RawServer.Script, _ limits: HTTPConnectionPool.Limits? = nil
  ) async throws -> (any Error)? {
    var result: (any Error)?
    try await withServer(limits, script: script) { pool, _ in
      result = await failure { _ = try await get(pool) }
    }
    return result
  }

  @Test func aRequestIsWrittenAsItShouldBe() async throws {
    let heads = Mutex<[String]>([])
    try await withServer { connection, _ in
      while let head = connection.readHead() {
        heads.withLock { $0.append(head) }
        connection.answer("yes")
      }
    } _: { pool, server in
      #expect(try await get(pool, "/a?b=c") == "yes")
      _ = try await pool.execute(HTTPRequest(.POST, "/p", headers: ["X-Y": "z"])).body.collect(upTo: 10)
      _ = try await pool.execute(HTTPRequest(.DELETE, "/d")).body.collect(upTo: 10)
      let host = "host: 127.0.0.1:\(server.port)\r\n"
      let seen = heads.withLock { $0.map { $0.replacing("Host:", with: "host:") } }
      #expect(seen[0] == "GET /base/a?b=c HTTP/1.1\r\n\(host)\r\n")
      #expect(seen[1] == "POST /base/p HTTP/1.1\r\nX-Y: z\r\n\(host)Content-Length: 0\r\n\r\n")
      #expect(seen[2] == "DELETE /base/d HTTP/1.1\r\n\(host)\r\n")
    }
  }

  @Test func fiftyRequestsShareAConnection() async throws {
    try await withServer { connection, _ in
      while let head = connection.readHead() { connection.answer(String(head.prefix { !$0.isNewline })) }
    } _: { pool, server in
      for number in 0..<50 {
        let answer = try await get(pool, "/\(number)")
        #expect(answer == "GET /base/\(number) HTTP/1.1")
      }
      #expect(server.connections == 1)
    }
  }

  @Test func requestsAtTheSameTimeWaitForAConnection() async throws {
    var limits = limits()
    limits.connections = 3
    try await withServer(limits) { connection, _ in
      while connection.readHead() != nil {
        Thread.sleep(forTimeInterval: 0.05)
        connection.answer("yes")
      }
    } _: { pool, server in
      try await withThrowingTaskGroup(of: String.self) { tasks in
        for _ in 0..<20 { tasks.addTask { try await get(pool) } }
        var answers = 0
        for try await answer in tasks where answer == "yes" { answers += 1 }
        #expect(answers == 20)
      }
      #expect(server.connections == 3)
    }
  }

  @Test func aConnectionThatTheServerClosesIsNotUsedAgain() async throws {
    try await withServer { connection, number in
      guard connection.readHead() != nil else { return }
      connection.answer("\(number)", number == 0 ? "Connection: close\r\n" : "")
    } _: { pool, server in
      #expect(try await get(pool) == "0")
      #expect(try await get(pool) == "1")
      // The second was closed without a word: its end is seen while nobody asks.
      try await Task.sleep(for: .milliseconds(100))
      #expect(try await get(pool) == "2")
      #expect(server.connections == 3)
    }
  }

  @Test func aRestingConnectionIsClosedAfterAWhileOrWhenTheServerTalks() async throws {
    var limits = limits()
    limits.keepAlive = .milliseconds(50)
    let (ends, end) = AsyncStream.makeStream(of: Int.self)
    try await withServer(limits) { connection, number in
      _ = connection.readHead()
      connection.answer("\(number)")
      if number == 1 { connection.write("HTTP/1.1 200 OK\r\n\r\n") }
      if connection.readHead() == nil { end.yield(number) }
    } _: { pool, server in
      var closed = ends.makeAsyncIterator()
      for number in 0..<2 {
        let answer = try await get(pool)
        #expect(answer == "\(number)")
        #expect(await closed.next() == number)
        // The server sees the end before the pool has been told of it.
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(try await get(pool) == "2")
      #expect(server.connections == 3)
    }
  }

  /// Each octet is a sign of life, so that silence alone would never end it.
  @Test func aBodyThatDripsIsGivenUpInTime() async throws {
    try await withServer(limits(idle: .milliseconds(400))) { connection, _ in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
      for _ in 0..<100 {
        connection.write("x")
        Thread.sleep(forTimeInterval: 0.02)
      }
    } _: { pool, _ in
      let begin = ContinuousClock.now
      let error = await failure {
        _ = try await pool.execute(HTTPRequest(.GET, "/")).body.collect(upTo: 1_000, within: .milliseconds(800))
      }
      #expect(error as? HTTPConnectionError == .timedOut)
      #expect(ContinuousClock.now - begin < .seconds(4))
    }
  }

  /// They are no answer, so that they are no sign of life either.
  @Test func interimAnswersWithoutEndAreGivenUp() async throws {
    try await withServer(limits(idle: .milliseconds(300))) { connection, _ in
      _ = connection.readHead()
      for _ in 0..<100 {
        connection.write("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
        Thread.sleep(forTimeInterval: 0.01)
      }
    } _: { pool, _ in
      #expect(await failure { _ = try await get(pool) } as? HTTPConnectionError == .timedOut)
    }
  }

  @Test func aServerThatDoesNotAnswerIsGivenUp() async throws {
    let error = try await failure(
      of: { connection, _ in _ = (connection.readHead(), connection.read()) },
      limits(idle: .milliseconds(200)))
    #expect(error as? HTTPConnectionError == .timedOut)
  }

  @Test func headsThatTrickleInAreGivenUp() async throws {
    let error = try await failure(
      of: { connection, _ in
        _ = connection.readHead()
        for octet in "HTTP/1.1 200 OK\r\nX: ".utf8 + Array(repeating: 120, count: 100) {
          guard connection.write([octet]) else { return }
          Thread.sleep(forTimeInterval: 0.02)
        }
      }, limits(idle: .milliseconds(200)))
    #expect(error as? HTTPConnectionError == .timedOut)
  }

  @Test(
    "Answers that are cut, or none",
    arguments: [
      "", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n", "SSH-2.0-x\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nabc",
    ])
  func cuts(answer: String) async throws {
    let error = try await failure(of: { connection, _ in
      _ = connection.readHead()
      connection.write(answer)
    })
    #expect(error != nil)
  }

  @Test func endlessHeadsAreRefused() async throws {
    let error = try await failure(of: { connection, _ in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\n")
      for number in 0..<100_000 { guard connection.write("X-\(number): y\r\n") else { return } }
    })
    #expect((error as? HTTPParserError) == .headerOverflow)
  }

  @Test("Bodies over the limit are broken off", arguments: ["", "Content-Length: 100000000\r\n"])
  func bodiesOverTheLimit(field: String) async throws {
    let error = try await failure(of: { connection, _ in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\n\(field)\r\n")
      while connection.write([UInt8](repeating: 32, count: 10_000)) {}
    })
    #expect(error as? HTTPConnectionError == .answerTooLong)
  }

  @Test func aBodyMayEndWithTheConnection() async throws {
    try await withServer { connection, _ in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\n\r\nabc")
    } _: { pool, _ in
      let answer = try await get(pool)
      #expect(answer == "abc")
    }
  }

  @Test func nobodyListens() async throws {
    let server = RawServer { _, _ in }
    server.stop()
    let pool = HTTPConnectionPool(try #require(HTTPOrigin("http://127.0.0.1:\(server.port)")))
    #expect(await failure { _ = try await get(pool) } != nil)
    await pool.shutdown()
    #expect(await failure { _ = try await get(pool) } as? HTTPConnectionError == .shutDown)
  }

  @Test func aCancelledTaskEndsItsExchangeAtOnce() async throws {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let (begins, begin) = AsyncStream.makeStream(of: Void.self)
    try await withServer { connection, number in
      _ = connection.readHead()
      begin.yield()
      if number > 0 { connection.write("HTTP/1.1 200 OK\r\n\r\nabc") }
      if connection.read().isEmpty { end.yield() }
    } _: { pool, _ in
      let began = ContinuousClock.now
      for _ in 0..<2 {
        let task = Task { try await get(pool) }
        for await _ in begins { break }
        task.cancel()
        await #expect(throws: HTTPConnectionError.cancelled) { try await task.value }
        for await _ in ends { break }
      }
      #expect(ContinuousClock.now - began < .seconds(2))
    }
  }

  @Test func whoWaitsForAConnectionCanBeCancelled() async throws {
    var limits = limits()
    limits.connections = 1
    let (begins, begin) = AsyncStream.makeStream(of: Void.self)
    try await withServer(limits) { connection, _ in
      while connection.readHead() != nil {
        begin.yield()
        Thread.sleep(forTimeInterval: 0.3)
        connection.answer("yes")
      }
    } _: { pool, _ in
      async let first = get(pool)
      for await _ in begins { break }
      let second = Task { try await get(pool) }
      second.cancel()
      await #expect(throws: HTTPConnectionError.cancelled) { try await second.value }
      let answers = [try await first, try await get(pool)]
      #expect(answers == ["yes", "yes"])
    }
  }

  @Test func anAnswerThatIsLetGoOfEndsItsConnection() async throws {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    try await withServer { connection, _ in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\n\r\nabc")
      if connection.read().isEmpty { end.yield() }
    } _: { pool, _ in
      let answer = try await pool.execute(HTTPRequest(.GET, "/"))
      #expect(answer.status == .ok)
      _ = consume answer
      for await _ in ends { break }
    }
  }
}
