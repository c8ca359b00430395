import NIOCore
import RedisClient
import Testing

/// Servers that do not speak RESP2, or stop in the middle of it.
@Suite("Malformed Redis servers", .timeLimit(.minutes(1)))
struct MalformedServerTests {
  private func settings(_ server: ScriptedServer, timeout: Duration = .seconds(10)) -> RedisConnectionSettings {
    var settings = RedisConnectionSettings(.tcp(.init(host: "127.0.0.1", port: server.port)))
    settings.limits.connections = 1
    settings.limits.replyBytes = 1_000
    settings.limits.replyElements = 100
    settings.responseTimeout = timeout
    return settings
  }

  /// What the client says of a server that greets well and answers `GET` so.
  private func cause(of answer: ScriptedServer.Answer, timeout: Duration = .seconds(10)) async throws -> RedisFailure? {
    let server = try await ScriptedServer { $0.contains("GET") ? answer : .obedient }
    var result: RedisFailure?
    try await withRedisClient(settings(server, timeout: timeout)) { client, _ in
      result = await failure { _ = try await client.send(RedisCommand("GET", "k")) }
    }
    await server.stop()
    return result
  }

  @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "$-2\r\n", "$x\r\n", "*99999999999999999999\r\n", "\0\0\0\0"])
  func garbage(text: String) async throws {
    let failure = try await cause(of: .bytes(text))
    guard case .connectionLost(.malformedReply) = failure?.cause else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(failure?.mayHaveBeenCarriedOut == true)
  }

  @Test(arguments: ["$10\r\nabc", "*2\r\n+a\r\n", "+a", "*1\r\n$3\r\nab"]) func endsInAReply(text: String) async throws
  {
    let failure = try await cause(of: .bytesAndClose(text))
    #expect(failure?.cause == .connectionLost(.closedByServer))
    #expect(try await cause(of: .bytes(text), timeout: .milliseconds(500))?.cause == .timedOut)
  }

  @Test func nestingIsBounded() async throws {
    let failure = try await cause(of: .bytes(String(repeating: "*1\r\n", count: 20) + "+a\r\n"))
    guard case .connectionLost(.malformedReply(let words)) = failure?.cause else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(words.contains("depth"))
  }

  /// Arrays are allocated by what is announced.
  @Test(arguments: ["*101\r\n", "*2147483647\r\n", "*60\r\n*60\r\n"]) func announcedElementsAreBounded(text: String)
    async throws
  {
    #expect(try await cause(of: .bytes(text))?.cause == .connectionLost(.replyTooLarge(limit: 100)))
  }

  @Test(arguments: [true, false]) func octetsAreBounded(isWhole: Bool) async throws {
    let text = "$\(isWhole ? 1_500 : 5_000)\r\n" + String(repeating: "x", count: 1_500) + (isWhole ? "\r\n" : "")
    #expect(try await cause(of: .bytes(text))?.cause == .connectionLost(.replyTooLarge(limit: 1_000)))
  }

  @Test func aReplyToNoCommandEndsTheConnection() async throws {
    let server = try await ScriptedServer { $0.contains("GET") ? .bytes("+a\r\n+b\r\n") : .obedient }
    try await withRedisClient(settings(server)) { client, log in
      try await client.expect(RedisCommand("GET", "k"), "a")
      try await log.expectFirstLoss(.malformedReply("a reply to no command"))
    }
    await server.stop()
  }

  /// Redis 7 repeats the arguments of commands that it does not know.
  @Test func aPasswordThatTheServerRepeatsIsNotReported() async throws {
    let server = try await ScriptedServer { _ in
      .bytes("-ERR unknown command 'AUTH', with args beginning with: 'very-secret'\r\n")
    }
    var settings = settings(server)
    settings.credentials = .init(password: "very-secret")
    try await withRedisClient(settings, isConnected: false) { client, log in
      try await log.expectFirstLoss(.refused(command: "AUTH", code: "ERR"))
      let refused = await failure { _ = try await client.send(RedisCommand("GET", "k")) }
      #expect(!String(reflecting: refused).contains("secret") && !"\(log.events)".contains("secret"))
    }
    await server.stop()
  }

  @Test(arguments: [
    ("-LOADING Redis is loading the dataset in memory", RedisDisconnection.loading),
    ("-MASTERDOWN Link with MASTER is down", .masterDown), ("-READONLY You can't write", .isReplica),
    ("-NOAUTH Authentication required.", .passwordRequired),
    ("-ERR max number of clients reached", .refused(command: "PING", code: "ERR")),
  ]) func refusalsOfTheGreeting(reply: String, reason: RedisDisconnection) async throws {
    let server = try await ScriptedServer { request in
      .bytes(String(repeating: reply + "\r\n", count: request.split(separator: "\r\n").count { $0.hasPrefix("*") }))
    }
    try await withRedisClient(settings(server), isConnected: false) { _, log in
      try await log.expectFirstLoss(reason)
    }
    await server.stop()
  }

  @Test func aServerThatNeverGreetsIsGivenUp() async throws {
    let server = try await ScriptedServer { _ in .bytes("") }
    try await withRedisClient(settings(server, timeout: .milliseconds(500)), isConnected: false) { _, log in
      try await log.expectFirstLoss(.responseOverdue)
    }
    await server.stop()
  }
}
