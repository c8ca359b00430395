import TestServers
import Testing

@testable import RedisClient

/// Three masters of a real cluster.
@Suite("Redis Cluster", .timeLimit(.minutes(2)), .enabled(if: RedisTestServer.isInstalled), .serialized)
struct ClusterTests {
  private static let library = RedisFunctionLibrary(
    name: "notes",
    code: """
      #!lua name=notes
      redis.register_function('note', function(keys, args)
        redis.call('SET', keys[1], args[1])
        return redis.call('GET', keys[1])
      end)
      """)

  private func withCluster(
    hasReplicas: Bool = false, _ body: (RedisTestCluster, RedisConnectionSettings) async throws -> Void
  ) async throws {
    let cluster = try RedisTestCluster(hasReplicas: hasReplicas)
    defer { cluster.stop() }
    // One address is enough.
    var settings = RedisConnectionSettings(.cluster([.init(host: "127.0.0.1", port: cluster.ports[0])]))
    settings.libraries = [Self.library]
    try await body(cluster, settings)
  }

  @Test func commandsFindTheServersOfTheirKeys() async throws {
    try await withCluster { cluster, settings in
      for key in ["a", "{a}b", "a{b}c", "{}x", "a{}{b}", "{a", "ls:{u:1}:clients"] {
        #expect(HashSlot.of(Array(key.utf8)) == (try cluster.slot(of: key)), "\(key)")
      }
      try await withRedisClient(settings) { client, log in
        let keys = (0..<300).map { "key \($0)" }
        _ = try await client.send(keys.map { RedisCommand("SET", $0, $0) })
        let values = try await client.send(keys.map { RedisCommand("GET", $0) })
        #expect(values.map(\.text) == keys)
        for server in cluster.servers { #expect(try server.execute("DBSIZE") != ":0\r\n") }
        let noted = try await client.send(keys.map { .functionCall("note", keys: [$0], arguments: ["x"]) })
        #expect(noted.allSatisfy { $0.text == "x" })
        #expect(try await client.broadcast([RedisCommand("PING", keyPosition: nil)]).count == 3)
        #expect(log.events == [.connected])
      }
    }
  }

  @Test func slotsMayMoveAndServersMayBeAway() async throws {
    try await withCluster { cluster, settings in
      try await withRedisClient(settings) { client, log in
        _ = try await client.send(RedisCommand("SET", "k", "v"))
        let source = try cluster.owner(of: "k")
        let target = try #require(cluster.servers.first { $0 !== source })
        try cluster.beginMove(of: "k", from: source, to: target)
        try await client.expect(RedisCommand("GET", "k"), "v")
        // It would be new, so its slot's next server gets it.
        try await client.expect(RedisCommand("SET", "{k}new", "w"), "OK")
        try cluster.finishMove(of: "k", from: source, to: target)
        for (key, value) in [("k", "v"), ("{k}new", "w")] { try await client.expect(RedisCommand("GET", key), value) }
        target.kill()
        _ = try await log.firstLoss()
        #expect(await failure { _ = try await client.send(RedisCommand("GET", "k")) } != nil)
        try target.start()
        try await log.waitForConnections(2)
        // Its contents were in memory alone.
        try await log.wait("an answer") { (try? await client.send(RedisCommand("GET", "k")))?.isNull == true }
      }
    }
  }

  @Test func aReplicaTakesOver() async throws {
    try await withCluster(hasReplicas: true) { cluster, settings in
      try await withRedisClient(settings) { client, log in
        _ = try await client.send(RedisCommand("SET", "k", "v"))
        let master = try cluster.owner(of: "k")
        try await log.wait("the replica") {
          let link = try master.execute("INFO replication")
          let written = link.split(whereSeparator: \.isNewline).first { $0.hasPrefix("master_repl_offset:") }
          // It has what was written, not only a connection.
          return written.map { link.contains("state=online,offset=\($0.drop { $0 != ":" }.dropFirst()),lag=") } ?? false
        }
        master.kill()
        _ = try await log.firstLoss()
        try await log.waitForConnections(2)
        try await client.expect(RedisCommand("GET", "k"), "v")
        let noted = try await client.send(.functionCall("note", keys: ["k"], arguments: ["w"]))
        #expect(noted.text == "w")
      }
    }
  }

  @Test func aClusterThatCannotBeReachedIsExplained() async throws {
    let port = RedisTestServer.freePort()
    let settings = RedisConnectionSettings(.cluster([.init(host: "127.0.0.1", port: port)]))
    try await withRedisClient(settings, isConnected: false) { client, log in
      let reason = RedisDisconnection.unreachable("127.0.0.1:\(port): Connection refused")
      try await log.expectFirstLoss(reason)
      let refused = await failure { _ = try await client.send(RedisCommand("GET", "k")) }
      #expect(refused?.cause == .notConnected(reason))
    }
  }

  @Test func aStageWaitsForTheOneBefore() async throws {
    try await withCluster { _, settings in
      try await withRedisClient(settings) { client, _ in
        let replies = try await client.send(stages: [
          [RedisCommand("SET", "a", 1), RedisCommand("SET", "b", 2)], [RedisCommand("INCR", "a")],
        ])
        #expect(replies.map { $0.text ?? "\($0.integer ?? 0)" } == ["OK", "OK", "2"])
        let stopped = try await client.send(stages: [[RedisCommand("LPUSH", "a", 1)], [RedisCommand("INCR", "b")]])
        #expect(stopped.map(\.error?.code) == ["WRONGTYPE"])
        try await client.expect(RedisCommand("GET", "b"), "2")
      }
    }
  }

  @Test func channelsAreHeardWhereverTheyAre() async throws {
    try await withCluster { cluster, settings in
      let log = EventLog()
      let subscriber = RedisSubscriber(settings, kind: .sharded)
      let running = Task { await subscriber.run(onEvent: { log.note($0) }, onMessage: { log.note($0) }) }
      let channels = (0..<30).map { "channel-\($0)" }
      try await log.waitForConnections(3)
      try await subscriber.subscribe(channels)
      for channel in channels { try cluster.owner(of: channel).execute("SPUBLISH \(channel) x") }
      try await log.wait("all messages") { log.messages.count == 30 }
      let source = try cluster.owner(of: channels[0])
      let target = try #require(cluster.servers.first { $0 !== source })
      try cluster.beginMove(of: channels[0], from: source, to: target)
      try cluster.finishMove(of: channels[0], from: source, to: target)
      try await log.wait("the channel elsewhere") {
        try target.execute("SPUBLISH \(channels[0]) moved") == ":1\r\n"
      }
      try await log.wait("the message") { log.payloads.last == "moved" }
      subscriber.unsubscribe([channels[0]])
      try await log.wait("nobody to listen") { try target.execute("SPUBLISH \(channels[0]) no") == ":0\r\n" }
      running.cancel()
      await running.value
    }
  }
}
