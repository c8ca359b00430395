import SystemSupport
import MediaCore

/// The rest of a loop between what it has to do: it ends when the next deadline has come, or earlier when a nearer one
/// turns up.
final class ControlLoop: Sendable {
  private struct State {
    var alarm: Task<Void, Never>?
    var alarmAt = MonotonicInstant.distantFuture
    /// A deadline that turned up while the loop was busy.
    var nearest = MonotonicInstant.distantFuture
  }

  private let longestRest: TimeSpan
  private let state = Mutex(State())
  private let iterations = Atomic<UInt64>(0)

  /// - Parameter longestRest: as long as a rest that was cut short stays in memory, since Swift keeps the timer of a
  ///   cancelled sleep until it would have ended. So minutes, not hours.
  init(longestRest: TimeSpan) { self.longestRest = longestRest }

  /// How often the loop has rested, for the watchdog.
  var iterationCount: UInt64 { iterations.load(ordering: .relaxed) }

  /// Returns at `deadline`, after the longest rest, when the task is cancelled, or when ``wake(by:)`` asks for it.
  func rest(until deadline: MonotonicInstant, now: MonotonicInstant) async {
    iterations.add(1, ordering: .relaxed)
    guard let alarm = arm(min(deadline, now + longestRest), now: now) else { return }
    await withTaskCancellationHandler {
      await alarm.value
    } onCancel: {
      alarm.cancel()
    }
    state.withLock { $0 = State() }
  }

  private func arm(_ deadline: MonotonicInstant, now: MonotonicInstant) -> Task<Void, Never>? {
    state.withLock { state in
      let wait = min(deadline, state.nearest) - now
      state.nearest = .distantFuture
      guard wait > .zero else { return nil }
      let alarm = Task<Void, Never> { try? await Task.sleep(for: .nanoseconds(wait.nanoseconds)) }
      state.alarm = alarm
      state.alarmAt = now + wait
      return alarm
    }
  }

  /// Shortens the rest, or the next one, to end at `deadline`; nil changes nothing.
  func wake(by deadline: MonotonicInstant?) {
    guard let deadline else { return }
    state.withLock { state in
      guard let alarm = state.alarm else { return state.nearest = min(state.nearest, deadline) }
      if deadline < state.alarmAt { alarm.cancel() }
    }
  }
}
