internal import SystemSupport

/// The tasks that answer requests and write event streams, from start to end, so that none outlives the hub.
///
/// A request whose client is gone is finished all the same: what a page sends while it closes is to take effect.
final class RequestTasks: Sendable {
  private struct State {
    var running: [UInt64: Task<Void, Never>] = [:]
    var nextID: UInt64 = 0
    /// The hub stops: what begins now is cancelled from its start.
    var isEnding = false
    var waiters: [AsyncStream<Void>.Continuation] = []
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.running.count } }

  func start(on executor: any TaskExecutor, _ body: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      let id = state.nextID
      state.nextID &+= 1
      // Its end waits for this lock, so it is known before it is over.
      let task = Task(executorPreference: executor) {
        await body()
        self.remove(id)
      }
      state.running[id] = task
      if state.isEnding { task.cancel() }
    }
  }

  /// Cancels what runs and waits for it, so that nothing uses the store after the hub has closed it.
  ///
  /// - Returns: how many tasks have not ended in time.
  func end(within limit: Duration) async -> Int {
    let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
    let tasks = state.withLock { state -> [Task<Void, Never>] in
      state.isEnding = true
      if state.running.isEmpty { continuation.finish() } else { state.waiters.append(continuation) }
      return Array(state.running.values)
    }
    for task in tasks { task.cancel() }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in ended {} }
      group.addTask { try? await Task.sleep(for: limit) }
      await group.next()
      group.cancelAll()
    }
    return count
  }

  private func remove(_ id: UInt64) {
    let waiters = state.withLock { state -> [AsyncStream<Void>.Continuation] in
      state.running[id] = nil
      guard state.running.isEmpty else { return [] }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.finish() }
  }
}
