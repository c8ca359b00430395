internal import MediaCore
internal import RealtimeRuntime

/// Waits for the instants of a source that runs by the clock.
struct PacedWait {
  private var pace: FramePace

  /// Left to the clock's own sleep, which is more exact than a wait for a descriptor.
  private static let remainder = TimeSpan.milliseconds(10)

  init(_ pace: FramePace) { self.pace = pace }

  /// Blocks until the next instant and returns it; nil when `stop` was signalled first.
  mutating func next(until stop: EventDescriptor) -> MonotonicInstant? {
    let now = MonotonicClock.now()
    let instant = pace.next(now: now)
    let wait = instant - now - Self.remainder
    if wait > .zero, stop.wait(timeout: wait) { return nil }
    MonotonicClock.sleep(until: instant)
    return instant
  }
}
