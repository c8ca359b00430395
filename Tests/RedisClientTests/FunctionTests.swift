import RedisClient
import TestServers
import Testing

@Suite("Redis functions", .timeLimit(.minutes(1)), .enabled(if: RedisTestServer.isInstalled))
struct FunctionTests {
  private static let library = RedisFunctionLibrary(
    name: "greetings",
    code: """
      #!lua name=greetings
      redis.register_function('greet', function(keys, args)
        redis.call('SET', keys[1], args[1])
        return 'hello ' .. redis.call('GET', keys[1])
      end)
      """)

  private func withClient(_ body: (RedisClient, RedisTestServer, EventLog) async throws -> Void) async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    var settings = RedisConnectionSettings(.unixSocket(path: server.socketPath))
    settings.libraries = [Self.library]
    try await withRedisClient(settings) { try await body($0, server, $1) }
  }

  private func greet(_ client: RedisClient, _ name: String) async throws -> String? {
    try await client.send(.functionCall("greet", keys: ["k"], arguments: [name])).get().text
  }

  @Test func aLibraryIsLoadedAtTheConnect() async throws {
    try await withClient { client, server, _ in
      let listing = try server.execute("FUNCTION LIST")
      #expect(listing.contains("greetings"))
      let text = try await greet(client, "a")
      #expect(text == "hello a")
    }
  }

  @Test(arguments: ["FUNCTION FLUSH", "FLUSHALL"]) func aLibraryThatIsGoneIsLoadedAgain(command: String) async throws {
    try await withClient { client, server, _ in
      try server.execute(command)
      let text = try await greet(client, "b")
      #expect(text == "hello b")
    }
  }

  @Test func aServerThatStartsEmptyGetsTheLibraryAgain() async throws {
    try await withClient { client, server, log in
      server.kill()
      try server.start()
      try await log.waitForConnections(2)
      #expect(try server.execute("FUNCTION LIST").contains("greetings"))
    }
  }

  @Test func aFunctionThatNobodyKnowsIsAnError() async throws {
    try await withClient { client, _, _ in
      let reply = try await client.send(.functionCall("nonsense", arguments: [String]()))
      #expect(reply.error?.message.hasPrefix("ERR Function not found") == true)
    }
  }

  @Test func aLibraryThatDoesNotCompileIsReported() async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    var settings = RedisConnectionSettings(.unixSocket(path: server.socketPath))
    settings.libraries = [RedisFunctionLibrary(name: "broken", code: "#!lua name=broken\nthis is no Lua")]
    try await withRedisClient(settings, isConnected: false) { _, log in
      try await log.expectFirstLoss(.refused(command: "FUNCTION LOAD", code: "ERR"))
    }
  }
}
