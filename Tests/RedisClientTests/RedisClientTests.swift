import Foundation
import RedisClient
import TestServers
import Testing

/// Commands against a server that works.
@Suite("Redis commands", .timeLimit(.minutes(1)), .enabled(if: RedisTestServer.isInstalled))
struct RedisClientTests {
  private func withServer(
    _ change: (inout RedisConnectionSettings) -> Void = { _ in },
    _ body: (RedisClient, RedisTestServer) async throws -> Void
  ) async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    var settings = RedisConnectionSettings(.tcp(.init(host: "127.0.0.1", port: server.port)))
    change(&settings)
    try await withRedisClient(settings) { client, _ in try await body(client, server) }
  }

  @Test func valuesOfEachKind() async throws {
    try await withServer { client, _ in
      #expect(try await client.send(RedisCommand("SET", "k", "v")) == .string(Array("OK".utf8)))
      try await client.expect(RedisCommand("GET", "k"), "v")
      #expect(try await client.send(RedisCommand("GET", "none")).isNull)
      #expect(try await client.send(RedisCommand("INCRBY", "n", -42)) == .integer(-42))
      #expect(try await client.send(RedisCommand("GET", "n")).integer == -42)
      #expect(
        try await client.send(RedisCommand("RPUSH", "l", "a", "b", [UInt8](0...255))) == .integer(3)
      )
      let list = try await client.send(RedisCommand("LRANGE", "l", 0, -1))
      #expect(list.elements?[1].text == "b" && list.elements?[2].bytes == [UInt8](0...255))
      #expect(try await client.send(RedisCommand("GET", "l")).error?.code == "WRONGTYPE")
      #expect(try await client.send(RedisCommand("NONSENSE")).error?.code == "ERR")
      #expect(try await client.text(RedisCommand("GET", "")) == nil)
    }
  }

  @Test(arguments: [0, 9, 10, -1, -10, Int.max, Int.min]) func integersAsArguments(number: Int) async throws {
    try await withServer { client, _ in
      let text = try await client.text(RedisCommand("ECHO", number, keyPosition: nil))
      #expect(text == "\(number)")
    }
  }

  @Test func repliesComeInTheOrderOfTheCommands() async throws {
    try await withServer { client, _ in
      let replies = try await client.send((0..<2_000).map { RedisCommand("ECHO", $0, keyPosition: nil) })
      #expect(replies.map(\.integer) == (0..<2_000).map { Int64($0) })
      #expect(try await client.send([]) == [])
    }
  }

  @Test func tasksGetTheirOwnReplies() async throws {
    try await withServer { client, _ in
      await withTaskGroup(of: Bool.self) { group in
        for task in 0..<64 {
          group.addTask {
            for number in 0..<50 {
              let text = "\(task)-\(number)"
              guard (try? await client.text(RedisCommand("ECHO", text, keyPosition: nil))) == text else { return false }
            }
            return true
          }
        }
        for await isRight in group { #expect(isRight) }
      }
    }
  }

  /// As the server counts what it reads from sockets.
  @Test func commandsLeaveTogether() async throws {
    try await withServer { client, server in
      let before = try Self.reads(server)
      _ = try await client.send((0..<1_000).map { RedisCommand("ECHO", $0, keyPosition: nil) })
      #expect(try Self.reads(server) - before < 20)
    }
  }

  private static func reads(_ server: RedisTestServer) throws -> Int {
    let name = "total_reads_processed:"
    let line = try server.execute("INFO stats").split(separator: "\r\n").first { $0.hasPrefix(name) }
    return try #require(line.flatMap { Int($0.dropFirst(name.count)) })
  }

  @Test func largeValuesPass() async throws {
    try await withServer { client, _ in
      let value = [UInt8](repeating: 7, count: 5 << 20)
      _ = try await client.send(RedisCommand("SET", "k", value))
      #expect(try await client.send(RedisCommand("GET", "k")).bytes == value)
    }
  }

  @Test func theConnectionHasAName() async throws {
    try await withServer { client, _ in
      try await client.expect(RedisCommand("CLIENT", "GETNAME", keyPosition: nil), "livesessions")
    }
  }

  @Test func whatBecomesOfTheContentsIsKnown() async throws {
    try await withServer { client, server in
      var known = try await client.durability()
      #expect(known.map(\.isPersistent) == [false] && known.map(\.evictionPolicy) == ["noeviction"])
      try server.execute("CONFIG SET maxmemory-policy allkeys-lru")
      try server.execute(#"CONFIG SET save "60 1""#)
      known = try await client.durability()
      #expect(known.map(\.isPersistent) == [true] && known.map(\.evictionPolicy) == ["allkeys-lru"])
      try server.execute("ACL SETUSER default -info -config")
      known = try await client.durability()
      #expect(known.map(\.isPersistent) == [nil] && known.map(\.evictionPolicy) == [nil])
    }
  }

  @Test func tooManyOutstandingCommandsAreRefused() async throws {
    try await withServer {
      $0.limits.outstandingCommands = 10
    } _: { client, server in
      try server.execute("CLIENT PAUSE 300 ALL")
      async let held = client.send((0..<10).map { RedisCommand("ECHO", $0, keyPosition: nil) })
      var refused = await failure { _ = try await client.send((0..<11).map { RedisCommand("ECHO", $0) }) }
      #expect(refused?.cause == .overloaded && refused?.mayHaveBeenCarriedOut == false)
      _ = try await held
      refused = await failure { _ = try await client.send((0..<10).map { RedisCommand("ECHO", $0) }) }
      #expect(refused == nil)
    }
  }

  @Test func tooManyOutstandingOctetsAreRefused() async throws {
    try await withServer {
      $0.limits.outstandingBytes = 1_000
    } _: { client, _ in
      let refused = await failure {
        _ = try await client.send(RedisCommand("ECHO", [UInt8](repeating: 0, count: 1_000)))
      }
      #expect(refused?.cause == .overloaded)
      try await client.expect(RedisCommand("ECHO", "small"), "small")
    }
  }

  @Test func aUnixSocketServesAsWell() async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    try await withRedisClient(RedisConnectionSettings(.unixSocket(path: server.socketPath))) { client, _ in
      try await client.expect(RedisCommand("PING", keyPosition: nil), "PONG")
    }
  }

  @Test func aClientThatHasEndedRefuses() async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    let log = EventLog()
    let client = RedisClient(RedisConnectionSettings(.unixSocket(path: server.socketPath)), onEvent: log.note)
    let running = Task { await client.run() }
    try await log.waitForConnections(1)
    running.cancel()
    await running.value
    #expect(await failure { _ = try await client.send(RedisCommand("PING")) }?.cause == .shutDown)
    #expect(log.events == [.connected])
  }
}
