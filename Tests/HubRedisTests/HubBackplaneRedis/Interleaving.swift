import SystemSupport
import TestSupport

@testable import RedisClient

/// Lets the commands of several nodes take effect one at a time in an order that a seed chooses, and lets a node die after
/// any of them.
///
/// What the nodes do is the hub's own code, what the commands do is Redis's; the order alone is made here. Two commands of a
/// pipeline may have those of others between them, as in Redis, and in a cluster they take effect in any order.
final class Interleaving: Sendable {
  /// What one node does by itself, such as one request.
  struct Operation {
    var node: Int
    var body: @Sendable () async -> Void
  }

  /// The node that dies, and after how many commands of all nodes.
  struct Death {
    var node: Int
    var step: Int
  }

  private struct Request {
    var operation: Int
    var node: Int
    var commands: [RedisCommand]
    var replies: [Int: RedisValue] = [:]
    /// Nil when the node dies.
    var continuation: CheckedContinuation<[RedisValue]?, Never>
  }

  private struct State {
    /// Operations that neither wait for a reply nor have ended.
    var running = 0
    var waiting: [Request] = []
    var dead: Set<Int> = []
    var steps = 0
    var idle: CheckedContinuation<Void, Never>?

    mutating func stop() -> CheckedContinuation<Void, Never>? {
      running -= 1
      return running == 0 ? idle.take() : nil
    }
  }

  @TaskLocal private static var operation = 0

  private let redis: RedisClient
  private let isCluster: Bool
  private let state = Mutex(State())

  init(_ redis: RedisClient, isCluster: Bool) { (self.redis, self.isCluster) = (redis, isCluster) }

  /// Commands that have taken effect.
  var steps: Int { state.withLock { $0.steps } }

  /// What a node sends its commands with.
  func send(stages: [[RedisCommand]], by node: Int) async throws(RedisFailure) -> [RedisValue] {
    guard isCluster else { return try await send(stages.flatMap(\.self), by: node) }
    var replies: [RedisValue] = []
    for stage in stages where !stage.isEmpty { replies += try await send(stage, by: node) }
    return replies
  }

  private func send(_ commands: [RedisCommand], by node: Int) async throws(RedisFailure) -> [RedisValue] {
    let operation = Self.operation
    let replies = await withCheckedContinuation { continuation in
      let request = Request(operation: operation, node: node, commands: commands, continuation: continuation)
      let (isDead, idle) = state.withLock { state in
        guard !state.dead.contains(node) else { return (true, nil as CheckedContinuation<Void, Never>?) }
        state.waiting.append(request)
        return (false, state.stop())
      }
      if isDead { continuation.resume(returning: nil) }
      idle?.resume()
    }
    guard let replies else { throw RedisFailure(cause: .shutDown, mayHaveBeenCarriedOut: true) }
    return replies
  }

  /// Returns when all operations have ended.
  func run(_ operations: [Operation], death: Death?, random: inout SeededGenerator) async throws {
    state.withLock { $0.running = operations.count }
    let last = death.map { death in (death.node, steps + death.step) }
    let group = operations.enumerated().map { index, operation in
      Task {
        await Self.$operation.withValue(index) { await operation.body() }
        state.withLock { $0.stop() }?.resume()
      }
    }
    while let request = await next(&random) {
      let open = request.commands.indices.filter { request.replies[$0] == nil }
      let index = isCluster ? open[Int(random.next() % UInt64(open.count))] : open[0]
      finish(request, index, try await redis.send(request.commands[index]))
      if let (node, step) = last, steps >= step { kill(node) }
    }
    for task in group { await task.value }
  }

  /// One of those that wait, once all do.
  private func next(_ random: inout SeededGenerator) async -> Request? {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.running > 0 { state.idle = continuation }
        return state.running == 0
      }
      if isIdle { continuation.resume() }
    }
    let choice = random.next()
    return state.withLock { state in
      guard !state.waiting.isEmpty else { return nil }
      // In which order they came is chance.
      state.waiting.sort { $0.operation < $1.operation }
      return state.waiting.remove(at: Int(choice % UInt64(state.waiting.count)))
    }
  }

  private func finish(_ request: Request, _ index: Int, _ reply: RedisValue) {
    var request = request
    request.replies[index] = reply
    let replies = request.commands.indices.compactMap { request.replies[$0] }
    let isWhole = replies.count == request.commands.count
    state.withLock { state in
      state.steps += 1
      if isWhole { state.running += 1 } else { state.waiting.append(request) }
    }
    if isWhole { request.continuation.resume(returning: replies) }
  }

  private func kill(_ node: Int) {
    let cut = state.withLock { state in
      state.dead.insert(node)
      let cut = state.waiting.filter { $0.node == node }
      state.waiting.removeAll { $0.node == node }
      state.running += cut.count
      return cut
    }
    for request in cut { request.continuation.resume(returning: nil) }
  }
}
