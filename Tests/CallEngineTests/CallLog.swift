import SystemSupport
import TestSupport
import Testing

/// What fakes were asked for, in order; tests wait for lines instead of sleeping.
final class CallLog: Sendable {
  private let state = Mutex<[String]>([])

  var lines: [String] { state.withLock { $0 } }

  func add(_ line: String) { state.withLock { $0.append(line) } }

  /// Returns when the line has been added `count` times; that it was not in time fails the test.
  func wait(
    for line: String, count: Int = 1, file: String = #fileID, path: String = #filePath, row: Int = #line
  ) async {
    do {
      try await eventually { lines.count { $0 == line } >= count }
    } catch {
      let place = SourceLocation(fileID: file, filePath: path, line: row, column: 1)
      Issue.record("\"\(line)\" was not added: \(error); \(lines)", sourceLocation: place)
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
