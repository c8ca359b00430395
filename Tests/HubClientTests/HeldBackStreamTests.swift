import SystemSupport
import TestServers
import Logging
import Signalling
import TestSupport
import Testing

@testable import HubClient

/// Behind a proxy that answers for the hub and keeps what the event stream says.
@Suite("Held-back event streams", .timeLimit(.minutes(1)))
struct HeldBackStreamTests {
  private static let login = #"{"userID":"d1","accessToken":"t0","expiresAt":0,"role":"device"}"#
  private static let hello = "id: 7\nevent: hello\ndata: {\"eventStreamID\":\"e1\",\"isReset\":false}\n\n"
  private static let ended = "id: 8\nevent: call.ended\ndata: {\"sessionID\":\"s-1\",\"reason\":\"hangup\"}\n\n"

  private func run(
    _ script: @escaping ScriptedServer.Script, _ body: (HubClient, ScriptedServer, RecordedLog) async throws -> Void
  ) async throws {
    let (server, record) = (ScriptedServer(script), RecordedLog())
    var configuration = try HubClientConfiguration(
      baseURL: await server.start() + "/door/", title: "Gate", enrolmentKey: HubEnrolmentKey("k"))
    configuration.requestTimeout = .milliseconds(300)
    configuration.reconnectPauses = .milliseconds(10)...(.milliseconds(20))
    let client = HubClient(configuration, logger: record.logger)
    var failure: (any Error)?
    do { try await body(client, server, record) } catch { failure = error }
    await client.shutdown()
    try await server.stop()
    if let failure { throw failure }
  }

  private static func held(_ request: ScriptedServer.Request, _ number: Int) -> ScriptedServer.Response {
    switch request.line {
    case "POST /door/v1/login": .json(login)
    case "GET /door/v1/events": .events("")
    case "GET /door/v1/events?poll=": .events(hello).whole
    case "GET /door/v1/events?poll=e1" where number == 0: .events(ended).whole
    default: .events(": still here\n\n").whole
    }
  }

  @Test func eventsArePolledAndTheReasonIsSaidOnce() async throws {
    try await run(Self.held) { client, server, record in
      let seen = Mutex<[String]>([])
      let task = Task { await client.run { event in seen.withLock { $0.append(Self.name(event)) } } }
      try await eventually { seen.withLock { $0.count } >= 2 && client.lastOutage?.isBypassed == true }
      task.cancel()
      await task.value
      #expect(seen.withLock { $0 } == ["hello", "ended"])
      // One more is tried beside the polls, so that a hub that hung for a while is not taken for a proxy.
      #expect(server.lines("GET /door/v1/events").count == 4)
      #expect(server.lines("GET /door/v1/events?poll=e1").first?.headers["last-event-id"] == "7")
      #expect(client.lastOutage?.text.contains("a proxy buffers the event stream") == true)
      #expect(client.lastOutage?.text.contains("proxy_buffering off") == true)
      let said = record.lines
      #expect(said.count { $0.contains("a proxy buffers the event stream") } == 1)
      #expect(!said.contains { $0.hasPrefix("connected to the hub again") })
    }
  }

  @Test func aStreamThatSaysNothingIsNoConnection() async throws {
    try await run { request, _ in
      request.line.hasSuffix("/v1/login")
        ? .json(Self.login)
        : request.line.contains("poll")
          ? .json("", status: 404)
          : .events(": still here\n\n")
    } _: { client, _, record in
      let task = Task { await client.run { _ in } }
      try await eventually { client.lastOutage != nil }
      #expect(client.lastOutage?.text.contains("nothing of it arrives") == true)
      task.cancel()
      await task.value
      #expect(!record.lines.contains { $0.contains("connected to the hub") })
    }
  }

  /// Streams and polls are silent until it goes on, as a stream does first then.
  @Test func aHubThatWokeUpIsNotPolled() async throws {
    let isAwake = Mutex(false)
    try await run { request, number in
      if request.line.hasSuffix("/v1/login") { return .json(Self.login) }
      if request.line.hasSuffix("poll=") { isAwake.withLock { $0 = true } }
      return isAwake.withLock { $0 } ? .events(Self.hello) : .events("")
    } _: { client, server, _ in
      let seen = Mutex(0)
      let task = Task { await client.run { if case .event = $0 { seen.withLock { $0 += 1 } } } }
      try await eventually { seen.withLock { $0 } != 0 }
      #expect(client.lastOutage?.ended != nil && client.lastOutage?.isBypassed == false)
      task.cancel()
      await task.value
    }
  }

  private static func name(_ event: HubStreamEvent) -> String {
    if case .event(.hello(_)) = event { return "hello" }
    if case .event(.callEnded(_)) = event { return "ended" }
    if case .closed = event { return "closed" }
    return "other"
  }
}

extension ScriptedServer.Response {
  /// With its length, and an end.
  fileprivate var whole: Self {
    var copy = self
    copy.isOpenEnded = false
    return copy
  }
}
