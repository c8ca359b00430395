import RedisClient
import TestServers
import Testing

@Suite("Redis subscriptions", .timeLimit(.minutes(1)), .enabled(if: RedisTestServer.isInstalled))
struct SubscriberTests {
  private func withSubscriber(
    _ server: RedisTestServer, _ kind: RedisSubscriber.Kind = .plain, timeout: Duration = .seconds(10),
    _ body: (RedisSubscriber, EventLog) async throws -> Void
  ) async throws {
    let log = EventLog()
    var settings = RedisConnectionSettings(.unixSocket(path: server.socketPath))
    settings.pingInterval = .milliseconds(100)
    settings.responseTimeout = timeout
    let subscriber = RedisSubscriber(settings, kind: kind)
    let running = Task { await subscriber.run(onEvent: { log.note($0) }, onMessage: { log.note($0) }) }
    let result: Result<Void, any Error>
    do {
      try await log.waitForConnections(1)
      result = .success(try await body(subscriber, log))
    } catch { result = .failure(error) }
    running.cancel()
    await running.value
    try result.get()
  }

  @Test(arguments: [RedisSubscriber.Kind.plain, .sharded])
  func messagesOfTheWantedChannelsCome(kind: RedisSubscriber.Kind) async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    let publish = kind == .plain ? "PUBLISH" : "SPUBLISH"
    try await withSubscriber(server, kind) { subscriber, log in
      try await subscriber.subscribe(["a", "b"])
      for (channel, text) in [("a", "1"), ("b", "2"), ("c", "no"), ("a", "3")] {
        try server.execute("\(publish) \(channel) \(text)")
      }
      try await log.wait("three messages") { log.messages.count == 3 }
      #expect(log.payloads == ["1", "2", "3"])
      #expect(log.messages.map(\.channel) == ["a", "b", "a"])
      subscriber.unsubscribe(["a"])
      try await log.wait("nobody to listen") { try server.execute("\(publish) a no") == ":0\r\n" }
    }
  }

  @Test func whoComesAsAnotherLeavesKeepsTheChannel() async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    try await withSubscriber(server) { subscriber, log in
      try await subscriber.subscribe(["a"])
      try await subscriber.subscribe(["a"])
      subscriber.unsubscribe(["a"])
      try await subscriber.subscribe(["b"])
      try server.execute("PUBLISH a x")
      try await log.wait("the message") { log.payloads == ["x"] }
    }
  }

  @Test func channelsAreSubscribedToAgainAfterARestart() async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    try await withSubscriber(server) { subscriber, log in
      try await subscriber.subscribe(["a", "b"])
      server.kill()
      _ = try await log.firstLoss()
      // Wanted while there is no connection.
      #expect(await failure { try await subscriber.subscribe(["c"]) } != nil)
      try server.start()
      try await log.waitForConnections(2)
      for channel in ["a", "b", "c"] {
        let receivers = try server.execute("PUBLISH \(channel) again-\(channel)")
        #expect(receivers == ":1\r\n")
      }
      try await log.wait("three messages") { log.messages.count == 3 }
      #expect(log.payloads == ["again-a", "again-b", "again-c"])
    }
  }

  /// Messages and answers to `PING` keep apart while channels come and go.
  @Test func manyChannelsAndPings() async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    try await withSubscriber(server) { subscriber, log in
      try await withThrowingTaskGroup { group in
        for task in 0..<10 {
          group.addTask {
            let channels = (0..<100).map { "\(task)-\($0)" }
            try await subscriber.subscribe(channels)
            subscriber.unsubscribe(Array(channels.dropFirst()))
          }
        }
        try await group.waitForAll()
      }
      #expect(try server.execute("PUBSUB NUMPAT").hasPrefix(":0"))
      // Three intervals of silence.
      let pings = try await pingCount(server) + 3
      try await log.wait("pings") { try await pingCount(server) >= pings }
      for task in 0..<10 { try server.execute("PUBLISH \(task)-0 x") }
      try await log.wait("ten messages") { log.messages.count == 10 }
      #expect(log.events == [.connected])
    }
  }

  @Test func aSilentServerIsNoticed() async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    try await withSubscriber(server, timeout: .milliseconds(500)) { subscriber, log in
      try await subscriber.subscribe(["a"])
      server.suspend()
      try await log.expectFirstLoss(.responseOverdue)
      server.resume()
      try await log.waitForConnections(2)
      try server.execute("PUBLISH a x")
      try await log.wait("the message") { log.payloads == ["x"] }
    }
  }

  @Test func aChannelThatIsForbiddenIsRefusedAlone() async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    try server.execute("ACL SETUSER default resetchannels &allowed")
    try await withSubscriber(server) { subscriber, log in
      let refused = await failure { try await subscriber.subscribe(["forbidden"]) }
      #expect(refused?.cause == .subscriptionRefused(code: "NOPERM"))
      try await subscriber.subscribe(["allowed"])
      #expect(log.events == [.connected])
    }
  }

  private func pingCount(_ server: RedisTestServer) async throws -> Int {
    let text = try server.execute("INFO commandstats")
    guard let line = text.split(separator: "\r\n").first(where: { $0.hasPrefix("cmdstat_ping:calls=") }) else {
      return 0
    }
    return Int(line.dropFirst("cmdstat_ping:calls=".count).prefix { $0.isNumber }) ?? 0
  }
}
