import Locking

/// What fakes were asked for, in order; tests wait for lines instead of sleeping.
final class CallLog: Sendable {
  private struct State {
    var lines: [String] = []
    var waiters: [(line: String, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var lines: [String] { state.withLock { $0.lines } }

  func add(_ line: String) {
    let woken = state.withLock { state in
      state.lines.append(line)
      let count = state.lines.count { $0 == line }
      let woken = state.waiters.filter { $0.line == line && $0.count <= count }
      state.waiters.removeAll { $0.line == line && $0.count <= count }
      return woken.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Returns when the line has been added `count` times; a test's time limit bounds the wait.
  func wait(for line: String, count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.lines.count(where: { $0 == line }) >= count { return true }
        state.waiters.append((line, count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}

/// A door that an operation waits at until the test opens it.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func pass() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiters.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
