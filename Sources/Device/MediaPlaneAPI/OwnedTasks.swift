import SystemSupport

/// Background tasks that end with their owner.
public final class OwnedTasks: Sendable {
  private struct State {
    var tasks: [Int: Task<Void, Never>] = [:]
    var next = 0
    var isOver = false
  }

  private let state = Mutex(State())

  public init() {}

  deinit { cancel() }

  /// Begins; after ``cancel()`` nothing begins any more.
  public func begin(_ work: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      guard !state.isOver else { return }
      let number = state.next
      state.next += 1
      state.tasks[number] = Task { [weak self] in
        await work()
        self?.forget(number)
      }
    }
  }

  /// Cancels those that run, and all that are begun later.
  public func cancel() {
    let tasks = state.withLock { state in
      state.isOver = true
      defer { state.tasks = [:] }
      return state.tasks.values
    }
    for task in tasks { task.cancel() }
  }

  /// How many run.
  public var count: Int { state.withLock { $0.tasks.count } }

  private func forget(_ number: Int) { _ = state.withLock { $0.tasks.removeValue(forKey: number) } }
}
