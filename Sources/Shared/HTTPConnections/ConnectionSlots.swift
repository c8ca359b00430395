import SystemSupport

/// Bounds how many connections there are; callers beyond that wait in order.
final class ConnectionSlots: Sendable {
  private struct State {
    var free: Int
    var nextWaiter = 0
    var waiters: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(free: count)) }

  /// Waits for a slot; returns false, without one, when the task is cancelled.
  func take() async -> Bool {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { enqueue($0, number) }
    } onCancel: {
      withdraw(number)
    }
  }

  func giveBack() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if state.waiters.isEmpty {
        state.free += 1
        return nil
      }
      return state.waiters.removeFirst().continuation
    }
    next?.resume(returning: true)
  }

  private func enqueue(_ continuation: CheckedContinuation<Bool, Never>, _ number: Int) {
    let isSettled = state.withLock { state -> Bool? in
      // Under the lock, so that a cancellation from here on finds the waiter.
      if Task.isCancelled { return false }
      if state.free > 0 {
        state.free -= 1
        return true
      }
      state.waiters.append((number, continuation))
      return nil
    }
    if let isSettled { continuation.resume(returning: isSettled) }
  }

  private func withdraw(_ number: Int) {
    let waiter = state.withLock { state in
      state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0).continuation }
    }
    waiter?.resume(returning: false)
  }
}
