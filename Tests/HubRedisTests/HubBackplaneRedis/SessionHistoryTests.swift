import HubConformance
import HubRedis
import HubCore
import SystemSupport
import Logging
import RedisClient
import TestServers
import TestSupport
import Testing

/// Seeded clients on three nodes, while nodes and Redis fail: every session's history is one that the session's rules allow.
@Suite(.enabled(if: RedisTestServer.isInstalled))
struct SessionHistoryTests {
  @Test(.timeLimit(.minutes(3))) func sessionsAreLinearizableUnderFaults() async throws {
    let redis = try RedisTestServer(arguments: ["--appendonly", "yes", "--appendfsync", "everysec"])
    defer { redis.stop() }
    let fleet = ChangingFleet(RedisConnectionSettings(.unixSocket(path: redis.socketPath)))
    for _ in 0..<3 { try await fleet.add() }
    let workload = SessionWorkload(limits: BackplaneFleet.limits, seed: 14) { fleet.living }
    async let run: Void = workload.run(sessions: 64, atOnce: 16)
    try await inject(into: fleet, redis)
    await run
    await fleet.stop()
    let check = HistoryCheck(workload.rules)
    let histories = workload.recorder.histories
    #expect(histories.count == 64)
    #expect(histories.flatMap(check.violations) == [])
    // What never got anywhere would prove nothing.
    #expect(histories.count { $0.received.contains { $0.name == .answered } } > 20)
  }

  private func inject(into fleet: ChangingFleet, _ redis: RedisTestServer) async throws {
    try await Task.sleep(for: .milliseconds(700))
    redis.suspend()
    try await Task.sleep(for: .milliseconds(300))
    redis.resume()
    try await Task.sleep(for: .milliseconds(500))
    fleet.killOldest()
    try await fleet.add()
    try await Task.sleep(for: .milliseconds(500))
    redis.kill()
    try await Task.sleep(for: .milliseconds(200))
    try redis.start()
  }
}

/// Nodes of one hub that come and go, each with its clock.
private final class ChangingFleet: Sendable {
  private struct Node {
    let living: LivingNode
    let clock: Task<Void, Never>
  }

  private struct State {
    var nodes: [Node] = []
    var count = 0
  }

  private let settings: RedisConnectionSettings
  private let state = Mutex(State())

  init(_ settings: RedisConnectionSettings) { self.settings = settings }

  var living: [LivingNode] { state.withLock { $0.nodes.map(\.living) } }

  /// Returns when the node has found Redis.
  func add() async throws {
    let name = state.withLock { state in
      state.count += 1
      return "node-\(state.count)"
    }
    let backplane = RedisBackplane(
      settings, node: name, address: "\(name):1", limits: BackplaneFleet.limits,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) { _ in }
    let clock = Task {
      await withTaskGroup { group in
        group.addTask { await backplane.run() }
        group.addTask {
          while (try? await Task.sleep(for: .milliseconds(100))) != nil { await backplane.tick() }
        }
      }
    }
    try await eventually { backplane.isReady }
    state.withLock { $0.nodes.append(Node(living: LivingNode(id: name, backplane: backplane), clock: clock)) }
  }

  /// It says goodbye to nobody: its connections end, and so do its clients' streams.
  func killOldest() {
    let node = state.withLock { $0.nodes.removeFirst() }
    node.clock.cancel()
  }

  func stop() async {
    for node in state.withLock({ $0.nodes }) {
      node.clock.cancel()
      await node.clock.value
    }
  }
}
