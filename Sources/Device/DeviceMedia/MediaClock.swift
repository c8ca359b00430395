public import MediaCore
import MediaPlaneAPI
import RealtimeRuntime

/// The time, and how to wait for it.
public struct MediaClock: Sendable {
  public var now: @Sendable () -> MonotonicInstant
  /// Throws when the task is cancelled.
  public var sleep: @Sendable (TimeSpan) async throws -> Void

  public init(
    now: @escaping @Sendable () -> MonotonicInstant, sleep: @escaping @Sendable (TimeSpan) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  public static let system = MediaClock(
    now: { MonotonicClock.now() }, sleep: { try await Task.sleep(for: .nanoseconds($0.nanoseconds)) })
}

extension Task where Success == Void, Failure == Never {
  /// Waits until the task is done, up to a timeout; the task continues then.
  func value(within limit: TimeSpan, _ clock: MediaClock) async {
    let (done, signal) = AsyncStream.makeStream(of: Never.self)
    let waiting = OwnedTasks()
    defer { waiting.cancel() }
    waiting.begin {
      await value
      signal.finish()
    }
    waiting.begin {
      try? await clock.sleep(limit)
      signal.finish()
    }
    for await _ in done {}
  }
}
