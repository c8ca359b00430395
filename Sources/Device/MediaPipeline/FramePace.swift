internal import MediaCore

/// The instants of a source that runs by the clock: exact multiples of the interval after the start.
struct FramePace {
  private let start: MonotonicInstant
  private let numerator: Int64
  private let denominator: Int64
  private let maxLag: TimeSpan
  private var index: Int64 = 0

  /// - Parameters:
  ///   - frameRate: events a second.
  ///   - maxLag: the maximum delay that is still made up for.
  init(start: MonotonicInstant, frameRate: Int64, maxLag: TimeSpan = .seconds(1)) {
    self.init(start: start, numerator: frameRate, denominator: 1, maxLag: maxLag)
  }

  /// `numerator` events in `denominator` seconds.
  init(start: MonotonicInstant, numerator: Int64, denominator: Int64, maxLag: TimeSpan = .seconds(1)) {
    precondition(numerator > 0 && denominator > 0)
    self.start = start
    self.numerator = numerator
    self.denominator = denominator
    self.maxLag = maxLag
  }

  /// The next instant. When more than `maxLag` was lost, the missed ones are left out.
  mutating func next(now: MonotonicInstant) -> MonotonicInstant {
    if now - instant(index) > maxLag {
      index = scaled((now - start).nanoseconds, by: numerator, over: denominator * 1_000_000_000)
    }
    defer { index += 1 }
    return instant(index)
  }

  private func instant(_ index: Int64) -> MonotonicInstant {
    start + TimeSpan(nanoseconds: scaled(index, by: denominator * 1_000_000_000, over: numerator))
  }

  /// Days of a fraction's instants overflow 64 bits before the division.
  private func scaled(_ value: Int64, by multiplier: Int64, over divisor: Int64) -> Int64 {
    divisor.dividingFullWidth(value.multipliedFullWidth(by: multiplier)).quotient
  }
}
