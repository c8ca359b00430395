import SystemSupport
import RedisClient
import Testing

/// Notes the events and messages of a client or a subscriber, and waits for what a test expects.
final class EventLog: Sendable {
  struct TimedOut: Error, CustomStringConvertible {
    let description: String
  }

  private struct State {
    var events: [RedisConnectionEvent] = []
    var messages: [RedisMessage] = []
  }

  private let state = Mutex(State())

  var events: [RedisConnectionEvent] { state.withLock { $0.events } }
  var messages: [RedisMessage] { state.withLock { $0.messages } }
  var payloads: [String] { messages.map { String(decoding: $0.payload, as: UTF8.self) } }

  func note(_ event: RedisConnectionEvent) { state.withLock { $0.events.append(event) } }
  func note(_ message: RedisMessage) { state.withLock { $0.messages.append(message) } }

  /// Waits until there were so many events that say connected.
  func waitForConnections(_ count: Int) async throws {
    try await wait("connection \(count)") { self.events.count { $0 == .connected } >= count }
  }

  /// The reason of the first loss; waits for it.
  func firstLoss() async throws -> RedisDisconnection {
    try await wait("a loss") { self.losses.count > 0 }
    return losses[0]
  }

  func expectFirstLoss(_ expected: RedisDisconnection) async throws {
    let reason = try await firstLoss()
    #expect(reason == expected)
  }

  var losses: [RedisDisconnection] {
    events.compactMap { if case .lost(let reason) = $0 { reason } else { nil } }
  }

  /// Looks each 2 ms whether a condition holds, for at most 15 s.
  func wait(_ what: String, for condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(15)
    while try await !condition() {
      guard ContinuousClock.now < deadline else { throw TimedOut(description: "\(what) did not come; \(events)") }
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}

extension RedisClient {
  func text(_ command: RedisCommand) async throws -> String? { try await send(command).get().text }

  func expect(_ command: RedisCommand, _ expected: String) async throws {
    let reply = try await send(command)
    #expect(reply.text == expected)
  }
}

/// Runs a client against settings, waits for the first connection, and ends it.
func withRedisClient(
  _ settings: RedisConnectionSettings, isConnected: Bool = true,
  _ body: (RedisClient, EventLog) async throws -> Void
) async throws {
  let log = EventLog()
  let client = RedisClient(settings, onEvent: log.note)
  let running = Task { await client.run() }
  let result: Result<Void, any Error>
  do {
    if isConnected { try await log.waitForConnections(1) }
    result = .success(try await body(client, log))
  } catch { result = .failure(error) }
  running.cancel()
  await running.value
  try result.get()
}

/// The failure that a body throws; `nil` when it succeeds.
func failure(_ body: () async throws -> Void) async -> RedisFailure? {
  do { try await body() } catch { return error as? RedisFailure }
  return nil
}
