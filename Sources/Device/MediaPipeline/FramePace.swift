internal import MediaCore

/// The instants of a source that runs by the clock: exact multiples of the interval after the start.
struct FramePace {
  private let start: MonotonicInstant
  private let frameRate: Int64
  private var index: Int64 = 0

  /// - Parameter frameRate: events a second.
  init(start: MonotonicInstant, frameRate: Int64) {
    self.start = start
    self.frameRate = frameRate
  }

  /// The next instant. When more than a second was lost (the machine slept), the missed ones are left out.
  mutating func next(now: MonotonicInstant) -> MonotonicInstant {
    if now - instant(index) > .seconds(1) { index = (now - start).nanoseconds * frameRate / 1_000_000_000 }
    defer { index += 1 }
    return instant(index)
  }

  private func instant(_ index: Int64) -> MonotonicInstant {
    start + TimeSpan(nanoseconds: index * 1_000_000_000 / frameRate)
  }
}
