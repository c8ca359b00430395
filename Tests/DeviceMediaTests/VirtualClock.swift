import DeviceMedia
import SystemSupport
import MediaCore
import Signalling

/// Time that stands still until a test moves it.
final class VirtualClock: Sendable {
  private struct Sleeper {
    var id: Int
    var deadline: MonotonicInstant
    var continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    var sleepers: [Sleeper] = []
    var nextID = 0
  }

  private let state = Mutex(State())

  var now: MonotonicInstant { state.withLock { $0.now } }
  var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  var mediaClock: MediaClock {
    MediaClock(now: { self.now }, sleep: { try await self.sleep($0) })
  }

  func advance(by span: TimeSpan) {
    wake { state in
      state.now = state.now + span
      return { [now = state.now] in $0.deadline <= now }
    }
  }

  private func sleep(_ span: TimeSpan) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if Task.isCancelled { return true }
          state.sleepers.append(Sleeper(id: id, deadline: state.now + span, continuation: continuation))
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      wake { _ in { $0.id == id } }
    }
    try Task.checkCancellation()
  }

  private func wake(_ choose: @Sendable (inout State) -> (Sleeper) -> Bool) {
    let woken = state.withLock { state in
      let isDue = choose(&state)
      let woken = state.sleepers.filter(isDue).map(\.continuation)
      state.sleepers.removeAll(where: isDue)
      return woken
    }
    for continuation in woken { continuation.resume() }
  }
}

/// Lets other tasks run until `condition` holds; a bound in real time ends a test that would hang.
func eventually(_ condition: @Sendable () async -> Bool) async -> Bool {
  let clock = ContinuousClock()
  let deadline = clock.now + .seconds(10)
  while await !condition() {
    guard clock.now < deadline else { return false }
    try? await clock.sleep(for: .milliseconds(1))
  }
  return true
}

/// Holds up whoever comes by until it is opened.
final class Gate: Sendable {
  private let opened: AsyncStream<Never>
  private let opener: AsyncStream<Never>.Continuation
  private let visits = Mutex(0)

  init() { (opened, opener) = AsyncStream.makeStream(of: Never.self) }

  var visitCount: Int { visits.withLock { $0 } }

  func pass() async {
    visits.withLock { $0 += 1 }
    for await _ in opened {}
  }

  func open() { opener.finish() }
}
