import SystemSupport

/// The pause between two attempts, which can be cut short. Has one waiter at a time.
public final class InterruptiblePause: Sendable {
  private enum State {
    case idle
    case waiting(Task<Void, Never>)
    /// ``end()`` was called without a waiter: the next pause is skipped.
    case isMoot
  }

  private let state = Mutex(State.idle)

  public init() {}

  /// Waits for `duration`, until ``end()`` or until the task is cancelled; returns whether it was ended.
  public func wait(for duration: Duration) async -> Bool {
    let sleeper = Task<Void, Never> { try? await Task.sleep(for: duration) }
    let isMoot = state.withLock { state in
      if case .isMoot = state { return true }
      state = .waiting(sleeper)
      return false
    }
    if isMoot { sleeper.cancel() }
    await withTaskCancellationHandler {
      await sleeper.value
    } onCancel: {
      sleeper.cancel()
    }
    return state.withLock { state in
      defer { state = .idle }
      if case .isMoot = state { return true }
      return false
    }
  }

  /// Ends the current pause, or the next one after a running attempt.
  public func end() {
    let sleeper = state.withLock { state in
      defer { state = .isMoot }
      if case .waiting(let sleeper) = state { return sleeper as Task<Void, Never>? }
      return nil
    }
    sleeper?.cancel()
  }
}
