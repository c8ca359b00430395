import Foundation
import RedisClient
import TestServers
import Testing

/// Servers that die, hang, refuse or become replicas.
@Suite("Redis disconnections", .timeLimit(.minutes(1)), .enabled(if: RedisTestServer.isInstalled))
struct DisconnectionTests {
  private func settings(_ server: RedisTestServer, timeout: Duration = .seconds(10)) -> RedisConnectionSettings {
    var settings = RedisConnectionSettings(.tcp(.init(host: "127.0.0.1", port: server.port)))
    settings.responseTimeout = timeout
    settings.pingInterval = .milliseconds(200)
    return settings
  }

  /// A pause of the server, seen by a command of one connection.
  @Test(arguments: ["DEBUG SLEEP 1", "CLIENT PAUSE 1000"]) func anOverdueReplyTimesOut(command: String) async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    var settings = settings(server, timeout: .milliseconds(300))
    settings.limits.connections = 1
    settings.pingInterval = .seconds(10)
    try await withRedisClient(settings) { client, log in
      try server.post(command)
      var late: RedisFailure?
      try await log.wait("a time-out") {
        late = await failure { _ = try await client.send(RedisCommand("SET", "k", "v")) }
        return late != nil
      }
      #expect(late?.cause == .timedOut && late?.mayHaveBeenCarriedOut == true)
      try await log.waitForConnections(2)
      try await log.expectFirstLoss(.responseOverdue)
      try await client.expect(RedisCommand("PING", keyPosition: nil), "PONG")
    }
  }

  @Test func aServerThatIsKilledComesBack() async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    try await withRedisClient(settings(server)) { client, log in
      server.kill()
      _ = try await log.firstLoss()
      let refused = await failure { _ = try await client.send(RedisCommand("PING")) }
      guard case .notConnected = refused?.cause else {
        Issue.record("was \(String(describing: refused))")
        return
      }
      #expect(refused?.mayHaveBeenCarriedOut == false)
      try server.start()
      try await log.waitForConnections(2)
      try await client.expect(RedisCommand("PING", keyPosition: nil), "PONG")
      #expect(log.events == [.connected, .lost(.closedByServer), .connected])
    }
  }

  @Test func commandsUnderWayFailWhenTheServerIsKilled() async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    var settings = settings(server)
    settings.responseTimeout = .seconds(10)
    try await withRedisClient(settings) { client, log in
      async let lost = failure { _ = try await client.send(RedisCommand("BLPOP", "nothing", 0)) }
      try await log.wait("a blocked command") {
        try server.execute("INFO clients").contains("blocked_clients:1")
      }
      server.kill()
      let result = await lost
      #expect(result?.cause == .connectionLost(.closedByServer) && result?.mayHaveBeenCarriedOut == true)
    }
  }

  /// An idle client notices by its `PING`.
  @Test func aServerThatIsStoppedIsNoticedWithoutCommands() async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    try await withRedisClient(settings(server, timeout: .milliseconds(500))) { client, log in
      server.suspend()
      try await log.expectFirstLoss(.responseOverdue)
      server.resume()
      try await log.waitForConnections(2)
      try await client.expect(RedisCommand("PING", keyPosition: nil), "PONG")
    }
  }

  @Test func nobodyListens() async throws {
    var settings = RedisConnectionSettings(.tcp(.init(host: "127.0.0.1", port: RedisTestServer.freePort())))
    settings.connectTimeout = .seconds(1)
    try await withRedisClient(settings, isConnected: false) { client, log in
      guard case .unreachable(let words) = try await log.firstLoss() else {
        Issue.record("\(log.events)")
        return
      }
      #expect(words.contains("refused"))
    }
  }

  @Test(arguments: [nil, "wrong-secret"]) func passwordsThatAreMissingOrWrong(password: String?) async throws {
    let server = try RedisTestServer(password: "right-secret")
    defer { server.stop() }
    var settings = settings(server)
    settings.credentials = password.map { .init(password: $0) }
    try await withRedisClient(settings, isConnected: false) { client, log in
      let reason = try await log.firstLoss()
      #expect(reason == (password == nil ? .passwordRequired : .wrongPassword))
      #expect(!"\(reason)".contains("secret"))
      #expect(!"\(settings)".contains("secret"))
    }
  }

  @Test func theRightPasswordAndAnAccount() async throws {
    let server = try RedisTestServer(password: "right-secret")
    defer { server.stop() }
    try server.execute("ACL SETUSER hub on >hub-secret ~* &* +@all")
    for credentials in [
      RedisConnectionSettings.Credentials(password: "right-secret"), .init(username: "hub", password: "hub-secret"),
    ] {
      var settings = settings(server)
      settings.credentials = credentials
      try await withRedisClient(settings) { client, _ in
        let account = try await client.text(RedisCommand("ACL", "WHOAMI"))
        #expect(account == credentials.username ?? "default")
      }
    }
  }

  @Test func aServerThatBecomesAReplicaIsLeft() async throws {
    let server = try RedisTestServer()
    let master = try RedisTestServer()
    defer { [server, master].forEach { $0.stop() } }
    try await withRedisClient(settings(server)) { client, log in
      try server.execute("REPLICAOF 127.0.0.1 \(master.port)")
      var failed: RedisFailure?
      try await log.wait("a failure") {
        failed = await failure { _ = try await client.send(RedisCommand("SET", "k", "v")) }
        return failed != nil
      }
      #expect(failed?.mayHaveBeenCarriedOut == false)
      try await log.expectFirstLoss(.isReplica)
      try server.execute("REPLICAOF NO ONE")
      try await log.waitForConnections(2)
    }
  }

  @Test func aHugeReplyIsRefused() async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    var settings = settings(server)
    settings.limits.replyBytes = 100_000
    settings.limits.replyElements = 100
    settings.limits.connections = 1
    settings.responseTimeout = .seconds(10)
    try await withRedisClient(settings) { client, log in
      _ = try await client.send(RedisCommand("SETRANGE", "k", 1_000_000, "x"))
      var refused = await failure { _ = try await client.send(RedisCommand("GET", "k")) }
      #expect(refused?.cause == .connectionLost(.replyTooLarge(limit: 100_000)))
      try await log.waitForConnections(2)
      var push = RedisCommand("RPUSH", "l")
      push.append(contentsOf: 0..<101)
      _ = try await client.send(push)
      refused = await failure { _ = try await client.send(RedisCommand("LRANGE", "l", 0, -1)) }
      #expect(refused?.cause == .connectionLost(.replyTooLarge(limit: 100)))
      try await log.waitForConnections(3)
      #expect(try await client.send(RedisCommand("LRANGE", "l", 0, 99)).elements?.count == 100)
    }
  }
}
