import RedisClient
import TestServers
import Testing

/// A master, its replica, and sentinels which make the replica the master.
@Suite("Redis sentinels", .timeLimit(.minutes(1)), .enabled(if: RedisTestServer.isInstalled))
struct SentinelTests {
  private func makeSentinel(_ master: RedisTestServer) throws -> RedisTestServer {
    let configuration = """
      sentinel monitor hub 127.0.0.1 \(master.port) 1
      sentinel down-after-milliseconds hub 300
      sentinel failover-timeout hub 3000

      """
    return try RedisTestServer(role: .sentinel(configuration: configuration))
  }

  private func settings(_ ports: [Int]) -> RedisConnectionSettings {
    let addresses = ports.map { RedisConnectionSettings.Address(host: "127.0.0.1", port: $0) }
    var settings = RedisConnectionSettings(.sentinels(addresses, masterName: "hub"))
    settings.responseTimeout = .seconds(3)
    settings.connectTimeout = .seconds(3)
    return settings
  }

  @Test func theClientFollowsTheMaster() async throws {
    let master = try RedisTestServer()
    let replica = try RedisTestServer(arguments: [
      "--replicaof", "127.0.0.1 \(master.port)", "--repl-diskless-sync-delay", "0",
    ])
    let sentinel = try makeSentinel(master)
    defer { for server in [master, replica, sentinel] { server.stop() } }
    let log = EventLog()
    // The first sentinel is dead.
    try await withRedisClient(settings([RedisTestServer.freePort(), sentinel.port])) { client, clientLog in
      _ = try await client.send(RedisCommand("SET", "k", "v")).get()
      try await log.wait("replication") {
        try replica.execute("GET k").contains("v")
          && sentinel.execute("SENTINEL REPLICAS hub").contains("\(replica.port)")
      }
      master.kill()
      try await clientLog.waitForConnections(2)
      try await client.expect(RedisCommand("GET", "k"), "v")
      try await client.expect(RedisCommand("SET", "k", "w"), "OK")
      #expect(try replica.execute("GET k").contains("w"))
    }
  }

  @Test func sentinelsMayHaveAPasswordOfTheirOwn() async throws {
    let master = try RedisTestServer(password: "north")
    let configuration = """
      requirepass south
      sentinel monitor hub 127.0.0.1 \(master.port) 1
      sentinel auth-pass hub north

      """
    let sentinel = try RedisTestServer(role: .sentinel(configuration: configuration), password: "south")
    defer { for server in [master, sentinel] { server.stop() } }
    var settings = settings([sentinel.port])
    settings.credentials = .init(password: "north")
    try await withRedisClient(settings, isConnected: false) { _, log in
      try await log.expectFirstLoss(.noMaster(name: "hub"))
    }
    settings.sentinelCredentials = .init(password: "south")
    try await withRedisClient(settings) { client, _ in
      try await client.expect(RedisCommand("SET", "k", "v"), "OK")
    }
  }

  /// A sentinel that still names the old master is not believed.
  @Test func aReplicaIsNotTakenForTheMaster() async throws {
    let master = try RedisTestServer()
    let replica = try RedisTestServer(arguments: ["--replicaof", "127.0.0.1 \(master.port)"])
    defer { for server in [master, replica] { server.stop() } }
    let wrong = try await ScriptedServer { _ in
      .bytes("*2\r\n$9\r\n127.0.0.1\r\n$\("\(replica.port)".count)\r\n\(replica.port)\r\n")
    }
    try await withRedisClient(settings([wrong.port]), isConnected: false) { _, log in
      try await log.expectFirstLoss(.isReplica)
    }
    let right = try await ScriptedServer { _ in
      .bytes("*2\r\n$9\r\n127.0.0.1\r\n$\("\(master.port)".count)\r\n\(master.port)\r\n")
    }
    try await withRedisClient(settings([wrong.port, right.port])) { client, _ in
      try await client.expect(RedisCommand("SET", "k", "v"), "OK")
    }
    for server in [wrong, right] { await server.stop() }
  }

  @Test(arguments: ["*-1\r\n", "*2\r\n$1\r\nx\r\n$5\r\n99999\r\n", "-ERR no\r\n", "garbage\r\n"])
  func aSentinelThatKnowsNoMaster(reply: String) async throws {
    let sentinel = try await ScriptedServer { _ in .bytes(reply) }
    try await withRedisClient(settings([sentinel.port]), isConnected: false) { _, log in
      try await log.expectFirstLoss(.noMaster(name: "hub"))
    }
    await sentinel.stop()
  }
}
