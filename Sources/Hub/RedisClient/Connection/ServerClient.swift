internal import NIOCore
internal import NIOPosix

/// Where a client's commands go: one server, or the servers of a cluster.
protocol CommandService: Sendable {
  /// Whether commands of one batch may be executed in another order, since they go to different servers.
  var hasSeveralServers: Bool { get }
  /// Keeps connections until the task is cancelled; then fails what waits and closes them.
  func run() async
  /// Sends commands and waits for all replies, in the order of the commands.
  func send(_ commands: [RedisCommand]) async throws(RedisFailure) -> [RedisValue]
  /// Sends the same commands to each server that takes writes.
  func broadcast(_ commands: [RedisCommand]) async throws(RedisFailure) -> [(server: String, replies: [RedisValue])]
}

/// Commands to one server, or to the master that sentinels name, over a few connections.
final class ServerClient: CommandService {
  private let loop: any EventLoop
  private let name: String
  private let queue: CommandQueue
  private let connections: NIOLoopBoundBox<ConnectionSet>
  private let reconnectLoops: [ReconnectLoop]

  init(_ settings: RedisConnectionSettings, _ onEvent: @escaping @Sendable (RedisConnectionEvent) -> Void) {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let queue = CommandQueue(settings.limits)
    let connections = NIOLoopBoundBox.makeBoxSendingValue(ConnectionSet(queue, onEvent), eventLoop: loop)
    let lookup = ServerLookup(connector: Connector(loop, settings), needsMaster: true)
    let owner = ReconnectLoop.Owner(
      opened: { connection in loop.execute { connections.value.add(connection.handler.value) } },
      lost: { reason in loop.execute { connections.value.noteFailure(reason) } })
    self.loop = loop
    name = settings.endpoint.description
    self.queue = queue
    self.connections = connections
    reconnectLoops = (0..<max(1, settings.limits.connections)).map { _ in ReconnectLoop(lookup, owner) }
  }

  var hasSeveralServers: Bool { false }

  func run() async {
    await withTaskCancellationHandler {
      await withTaskGroup { group in
        for reconnectLoop in reconnectLoops { group.addTask { await reconnectLoop.run() } }
      }
    } onCancel: {
      loop.execute { self.connections.value.shutDown() }
    }
  }

  func send(_ commands: [RedisCommand]) async throws(RedisFailure) -> [RedisValue] {
    guard !commands.isEmpty else { return [] }
    return try await withCheckedContinuation { continuation in
      let batch = ReplyBatch(commands.count, continuation)
      switch queue.submit(commands.map { Submission(command: $0, receiver: .batch(batch)) }) {
      case .wake: loop.execute { self.connections.value.drain() }
      case .queued: break
      case .refused(let failure): continuation.resume(returning: .failure(failure))
      }
    }.get()
  }

  func broadcast(_ commands: [RedisCommand]) async throws(RedisFailure) -> [(server: String, replies: [RedisValue])] {
    [(name, try await send(commands))]
  }
}
