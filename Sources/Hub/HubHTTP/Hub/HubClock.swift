internal import HubCore
internal import SystemSupport
internal import ServiceLifecycle

/// Lets time pass for the hub: what is due each second while anything has a deadline, comments on event streams each
/// ``EventStreamWakeups/turns`` seconds, a sign of life to the service manager.
///
/// While nothing is due it sleeps, so that a hub at rest costs next to nothing; ``wake()`` ends that.
final class HubClock: Sendable {
  private struct Sleep {
    var task: Task<Void, Never>?
    var isWoken = false
  }

  /// Within it each stream that is opened meanwhile has its turn. The service manager waits for much longer, and freed memory
  /// goes back within a minute.
  static let longestPause = EventStreamWakeups.turns
  private let sleep = Mutex(Sleep())

  /// Something has a deadline now.
  func wake() {
    sleep.withLock { sleep in
      sleep.isWoken = true
      sleep.task?.cancel()
    }
  }

  /// Sleeps until it is woken, up to a timeout in seconds.
  func pause(seconds: Int) async {
    let task = Task { _ = try? await Task.sleep(for: .seconds(seconds)) }
    sleep.withLock { sleep in
      if sleep.isWoken { task.cancel() }
      sleep = Sleep(task: task)
    }
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    sleep.withLock { $0.task = nil }
  }
}

/// Runs a hub by its clock.
struct HubClockService: Service {
  let hub: Hub
  let admission: LoginRateLimiter
  let onSignOfLife: @Sendable () -> Void
  private static let signOfLife = 5

  func run() async throws {
    await cancelWhenGracefulShutdown {
      let start = Instant.now
      var (turn, signedAt, memory) = (0, 0, FreedMemory())
      while !Task.isCancelled {
        await hub.clock.pause(seconds: hub.secondsUntilDue(after: turn, at: TokenAuthority.now))
        if Task.isCancelled { break }
        let second = Int(clamping: start.duration(to: .now).components.seconds)
        await tick(turns: turn..<max(second, turn))
        turn = max(second, turn)
        guard second - signedAt >= Self.signOfLife else { continue }
        signedAt = second
        onSignOfLife()
        memory.check()
      }
    }
    hub.stop()
  }

  /// - Parameter turns: The seconds that have passed since the last time.
  private func tick(turns: Range<Int>) async {
    await hub.tick()
    admission.trim()
    hub.streams.endExpired(at: TokenAuthority.now)
    for turn in turns.suffix(EventStreamWakeups.turns) { hub.streams.wake(turn: turn + 1) }
  }
}
