import HubRedis
import HubCore
import Logging
import RedisClient
import Synchronization

/// The nodes of one hub in this process, without HTTP, and their Redis.
final class SimulatedHub: Sendable {
  let limits: HubLimits
  private let settings: RedisConnectionSettings?
  private let wakeups = Wakeups()
  private let nodes: Mutex<[Node]>

  private struct Node: Sendable {
    let backplane: any HubBackplane
    let clock: Task<Void, Never>
  }

  /// - Parameter socket: of Redis; nil for one node in memory.
  init(nodes count: Int, socket: String?) async throws {
    var limits = HubLimits()
    // Phases ask more of one user than a person would.
    (limits.callsPerMinute, limits.messagesPerMinute, limits.nearbyQueriesPerMinute) = (1 << 20, 1 << 20, 1 << 20)
    (limits.presenceUpdatesPerMinute, limits.tokensPerMinute) = (1 << 20, 1 << 20)
    self.limits = limits
    settings = socket.map { RedisConnectionSettings(.unixSocket(path: $0)) }
    nodes = Mutex([])
    for number in 0..<count { try await start(number) }
  }

  var count: Int { nodes.withLock { $0.count } }

  subscript(node: Int) -> any HubBackplane { nodes.withLock { $0[node % $0.count].backplane } }

  /// Runs `body` and waits until the stream is woken after its beginning.
  func waitForWakeup(of streamID: String, while body: () async throws -> Void) async throws {
    try await wakeups.wait(for: streamID, while: body)
  }

  /// Ends a node without a word, and starts another in its place.
  func replace(_ node: Int) async throws {
    let old = nodes.withLock { $0[node] }
    old.clock.cancel()
    await old.clock.value
    let new = try await make(node + count)
    nodes.withLock { $0[node] = new }
  }

  func stop() async {
    for node in nodes.withLock({ $0 }) {
      node.clock.cancel()
      await node.clock.value
    }
  }

  private func start(_ number: Int) async throws {
    let node = try await make(number)
    nodes.withLock { $0.append(node) }
  }

  private func make(_ number: Int) async throws -> Node {
    let backplane = makeBackplane(number)
    let clock = Task {
      await withTaskGroup { group in
        group.addTask { await backplane.run() }
        group.addTask {
          while (try? await Task.sleep(for: .seconds(1))) != nil { await backplane.tick() }
        }
      }
    }
    let deadline = ContinuousClock.now + .seconds(15)
    while !backplane.isReady {
      guard ContinuousClock.now < deadline else { throw SimulatorFailure("a node has not found Redis in 15 s") }
      try await Task.sleep(for: .milliseconds(20))
    }
    return Node(backplane: backplane, clock: clock)
  }

  private func makeBackplane(_ number: Int) -> any HubBackplane {
    let perform: @Sendable (HubActions) -> Void = { [wakeups] in wakeups.wake($0.wokenStreams) }
    guard let settings else { return MemoryBackplane(epoch: "simulator", limits: limits, perform: perform) }
    return RedisBackplane(
      settings, node: "node-\(number)", address: "node-\(number):1", limits: limits,
      logger: Logger(label: "hub-simulator"), perform: perform)
  }
}

/// Who waits for a stream to be woken.
final class Wakeups: Sendable {
  private let waiting = Mutex<[String: AsyncStream<Void>.Continuation]>([:])

  func wake(_ streams: Set<String>) {
    let woken = waiting.withLock { waiting in streams.compactMap { waiting[$0] } }
    for continuation in woken { continuation.yield() }
  }

  func wait(for streamID: String, while body: () async throws -> Void) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    waiting.withLock { $0[streamID] = continuation }
    defer { waiting.withLock { _ = $0.removeValue(forKey: streamID) } }
    try await body()
    let limit = Task {
      try await Task.sleep(for: .seconds(10))
      continuation.finish()
    }
    defer { limit.cancel() }
    for await _ in stream { return }
    throw SimulatorFailure("an event has not woken its stream in 10 s")
  }
}
