import SystemSupport
import Testing

@testable import RedisClient

/// Sentinels and servers of a cluster that answer with anything.
@Suite("Malformed sentinels and clusters", .timeLimit(.minutes(1)))
struct MalformedClusterTests {
  private func settings(_ server: ScriptedServer) -> RedisConnectionSettings {
    var settings = RedisConnectionSettings(.cluster([.init(host: "127.0.0.1", port: server.port)]))
    settings.limits.connections = 1
    settings.responseTimeout = .seconds(1)
    settings.connectTimeout = .seconds(1)
    return settings
  }

  /// A range of slots and its master, as RESP2.
  private static func range(_ first: Int, _ last: Int, _ host: String, _ port: Int) -> String {
    "*3\r\n:\(first)\r\n:\(last)\r\n*2\r\n$\(host.utf8.count)\r\n\(host)\r\n:\(port)\r\n"
  }

  /// Answers `CLUSTER SLOTS` so, and all else well.
  private func server(slots: String) async throws -> ScriptedServer {
    try await ScriptedServer { $0.contains("SLOTS") ? .bytes(slots) : .obedient }
  }

  @Test(arguments: [
    "*0\r\n", "+OK\r\n", "$-1\r\n", ":7\r\n", "-ERR This instance has cluster support disabled\r\n", "*1\r\n*0\r\n",
    "*1\r\n*3\r\n:5\r\n:2\r\n*2\r\n$1\r\na\r\n:1\r\n", "*1\r\n*3\r\n:-1\r\n:3\r\n*2\r\n$1\r\na\r\n:1\r\n",
    "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\na\r\n:1\r\n", "*1\r\n*3\r\n:0\r\n:9\r\n*2\r\n$1\r\na\r\n:0\r\n",
    "*1\r\n*3\r\n:0\r\n:9\r\n*2\r\n$1\r\na\r\n:65536\r\n", "*1\r\n*3\r\n:0\r\n:9\r\n:3\r\n",
    "*1\r\n*3\r\n:0\r\n:9\r\n*2\r\n",
    "HTTP/1.1 200 OK\r\n\r\n",
  ]) func slotsThatAreNone(reply: String) async throws {
    let server = try await server(slots: reply)
    try await withRedisClient(settings(server), isConnected: false) { client, log in
      _ = try await log.firstLoss()
      #expect(await failure { _ = try await client.send(RedisCommand("GET", "k")) } != nil)
    }
    await server.stop()
  }

  @Test(arguments: ["a b", "a\u{1B}[2J", "a\nb", "a\u{7F}", "\u{202E}a", String(repeating: "a", count: 256)])
  func hostsThatAreNone(host: String) async throws {
    #expect(RedisConnectionSettings.Address(namedHost: host, port: 1) == nil)
    let asked = RedisConnectionSettings.Address(host: "h", port: 1)
    #expect(Redirection(RedisError("ASK 1 \(host):5"), from: asked).map { $0 == .ask(asked) } ?? true)
    let server = try await server(slots: "*1\r\n" + Self.range(0, 16_383, host, 6_379))
    try await withRedisClient(settings(server), isConnected: false) { _, log in
      let reason = try await log.firstLoss()
      #expect(!"\(reason)".unicodeScalars.contains { $0.value < 0x20 || $0.value > 0x7E })
    }
    await server.stop()
  }

  /// Each range would cost as much as there are slots.
  @Test func slotsWithSeveralOwnersAreRefused() async throws {
    let ranges = (0..<2_000).map { Self.range(0, 16_383, "127.0.0.1", 1 + $0) }
    let server = try await server(slots: "*\(ranges.count)\r\n" + ranges.joined())
    let start = ContinuousClock.now
    try await withRedisClient(settings(server), isConnected: false) { _, log in
      let reason = try await log.firstLoss()
      #expect("\(reason)".contains("CLUSTER SLOTS"))
    }
    #expect(ContinuousClock.now - start < .seconds(5))
    await server.stop()
  }

  /// Each master would cost a connection and a task.
  @Test func noMoreMastersThanAClusterCanHave() async throws {
    let ranges = (0..<SlotMap.maximumMasters + 1).map { Self.range($0, $0, "127.0.0.1", 1 + $0) }
    let server = try await server(slots: "*\(ranges.count)\r\n" + ranges.joined())
    try await withRedisClient(settings(server), isConnected: false) { _, log in
      let reason = try await log.firstLoss()
      #expect("\(reason)".contains("CLUSTER SLOTS"))
    }
    await server.stop()
    var map = SlotMap()
    for port in 1...SlotMap.maximumMasters + 100 { map.note(.init(host: "h", port: port), has: port) }
    #expect(map.masters.count == SlotMap.maximumMasters && map[SlotMap.maximumMasters + 50] == nil)
  }

  /// It redirects to itself without end: the client gives up and hands the server's words on.
  @Test(arguments: ["MOVED", "ASK"]) func redirectionsInACircleEnd(word: String) async throws {
    let port = Mutex(0)
    let server = try await ScriptedServer { request in
      let port = port.withLock { $0 }
      if request.contains("SLOTS") { return .bytes("*1\r\n" + Self.range(0, 16_383, "127.0.0.1", port)) }
      guard request.contains("GET") else { return .obedient }
      let asking = request.contains("ASKING") ? "+OK\r\n" : ""
      return .bytes(asking + "-\(word) 7629 127.0.0.1:\(port)\r\n")
    }
    port.withLock { $0 = server.port }
    try await withRedisClient(settings(server)) { client, _ in
      let reply = try await client.send([RedisCommand("GET", "k")])
      #expect(reply.first?.error?.code == word)
    }
    await server.stop()
  }

  @Test(arguments: [
    "MOVED", "MOVED 1", "MOVED x 127.0.0.1:1", "MOVED 16384 a:1", "MOVED 1 a", "ASK 1 a:0", "ASK 1 :70000",
  ])
  func redirectionsThatAreNoneAreReplies(words: String) async throws {
    let port = Mutex(0)
    let server = try await ScriptedServer { request in
      if request.contains("SLOTS") {
        return .bytes("*1\r\n" + Self.range(0, 16_383, "127.0.0.1", port.withLock { $0 }))
      }
      return request.contains("GET") ? .bytes("-\(words)\r\n") : .obedient
    }
    port.withLock { $0 = server.port }
    try await withRedisClient(settings(server)) { client, _ in
      let reply = try await client.send([RedisCommand("GET", "k")])
      #expect(reply.first?.error?.message == words)
    }
    await server.stop()
  }

  // MARK: Sentinels

  @Test(arguments: [
    "*0\r\n", "*1\r\n$1\r\na\r\n", "*3\r\n$1\r\na\r\n:1\r\n:1\r\n", "*2\r\n:1\r\n:1\r\n", "*2\r\n*0\r\n$1\r\n1\r\n",
    "*2\r\n$0\r\n\r\n$1\r\n1\r\n", "*2\r\n$9\r\n127.0.0.1\r\n$2\r\n-1\r\n", "*2\r\n$3\r\na\nb\r\n$1\r\n1\r\n",
    "*2\r\n$9\r\n127.0.0.1\r\n$20\r\n99999999999999999999\r\n", "+OK\r\n+OK\r\n", "*2147483647\r\n", "$99999999999\r\n",
  ]) func aSentinelThatNamesNoMaster(reply: String) async throws {
    let sentinel = try await ScriptedServer { _ in .bytes(reply) }
    try await expectNoMaster(sentinel)
  }

  @Test func aSentinelThatIsSilentOrGoesIsGivenUp() async throws {
    try await expectNoMaster(try await ScriptedServer { _ in .bytes("") })
    try await expectNoMaster(try await ScriptedServer { _ in .bytesAndClose("*2\r\n$9\r\n127") })
  }

  /// It could have each of a hub's connections take as much memory as the largest reply of Redis' own.
  @Test(arguments: ["*65\r\n$1\r\na\r\n", "$100000\r\n" + String(repeating: "x", count: 70_000)])
  func aSentinelThatSaysMuchIsGivenUpAtOnce(reply: String) async throws {
    let begin = ContinuousClock.now
    try await expectNoMaster(try await ScriptedServer { _ in .bytes(reply) }, responseTimeout: .seconds(20))
    #expect(ContinuousClock.now - begin < .seconds(10))
  }

  private func expectNoMaster(_ sentinel: ScriptedServer, responseTimeout: Duration = .seconds(1)) async throws {
    var settings = settings(sentinel)
    settings.responseTimeout = responseTimeout
    settings.endpoint = .sentinels([.init(host: "127.0.0.1", port: sentinel.port)], masterName: "hub")
    try await withRedisClient(settings, isConnected: false) { _, log in
      try await log.expectFirstLoss(.noMaster(name: "hub"))
    }
    await sentinel.stop()
  }
}
