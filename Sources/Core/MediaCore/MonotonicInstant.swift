/// A span of time in nanoseconds.
///
/// `Duration` is 128 bits of attoseconds; media arithmetic runs per packet, so it uses this instead. Its arithmetic is
/// total: what does not fit becomes the longest span.
public struct TimeSpan: Hashable, Comparable, Sendable {
  /// Nanoseconds; negative spans lie in the past.
  public var nanoseconds: Int64

  /// Takes any span.
  @inlinable
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// No time.
  public static let zero = TimeSpan(nanoseconds: 0)

  /// Microseconds; the longest span where that does not fit.
  @inlinable
  public static func microseconds(_ count: Int64) -> TimeSpan {
    TimeSpan(nanoseconds: count.saturatingMultiplied(by: 1_000))
  }
  /// Milliseconds; the longest span where that does not fit.
  @inlinable
  public static func milliseconds(_ count: Int64) -> TimeSpan {
    TimeSpan(nanoseconds: count.saturatingMultiplied(by: 1_000_000))
  }
  /// Seconds; the longest span where that does not fit.
  @inlinable
  public static func seconds(_ count: Int64) -> TimeSpan {
    TimeSpan(nanoseconds: count.saturatingMultiplied(by: 1_000_000_000))
  }
  /// Seconds with a fraction; NaN is zero.
  @inlinable
  public init(seconds: Double) { self.init(nanoseconds: Int64(saturating: seconds * 1e9)) }

  /// Whole milliseconds, rounded toward zero.
  @inlinable
  public var milliseconds: Int64 { nanoseconds / 1_000_000 }
  /// The absolute span.
  @inlinable
  public var magnitude: TimeSpan { TimeSpan(nanoseconds: Int64(clamping: nanoseconds.magnitude)) }
  /// Seconds as a floating-point number.
  @inlinable
  public var seconds: Double { Double(nanoseconds) / 1e9 }

  @inlinable
  public static func < (lhs: TimeSpan, rhs: TimeSpan) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
  @inlinable
  public static func + (lhs: TimeSpan, rhs: TimeSpan) -> TimeSpan {
    TimeSpan(nanoseconds: lhs.nanoseconds.saturatingAdding(rhs.nanoseconds))
  }
  @inlinable
  public static func - (lhs: TimeSpan, rhs: TimeSpan) -> TimeSpan {
    TimeSpan(nanoseconds: lhs.nanoseconds.saturatingSubtracting(rhs.nanoseconds))
  }
  @inlinable
  public static func * (lhs: TimeSpan, rhs: Int64) -> TimeSpan {
    TimeSpan(nanoseconds: lhs.nanoseconds.saturatingMultiplied(by: rhs))
  }
  @inlinable
  public static func / (lhs: TimeSpan, rhs: Int64) -> TimeSpan {
    TimeSpan(nanoseconds: lhs.nanoseconds.saturatingDivided(by: rhs))
  }
}

/// A reading of CLOCK_MONOTONIC: the one media timeline, never mixed with wall-clock or GPS time.
///
/// Core code never reads a clock; the instant is passed in. Its arithmetic is total, as that of ``TimeSpan``.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
  /// Nanoseconds since an arbitrary, fixed origin (boot, on Linux).
  public var nanoseconds: Int64

  /// Nanoseconds since the clock's origin.
  @inlinable
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// A time as system calls and drivers report it.
  @inlinable
  public init(seconds: Int64, nanoseconds: Int64) {
    self.init(nanoseconds: (TimeSpan.seconds(seconds) + TimeSpan(nanoseconds: nanoseconds)).nanoseconds)
  }

  /// Later than every instant that a clock can show.
  public static let distantFuture = MonotonicInstant(nanoseconds: .max)

  @inlinable
  public static func < (lhs: MonotonicInstant, rhs: MonotonicInstant) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
  @inlinable
  public static func + (lhs: MonotonicInstant, rhs: TimeSpan) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: lhs.nanoseconds.saturatingAdding(rhs.nanoseconds))
  }
  @inlinable
  public static func - (lhs: MonotonicInstant, rhs: TimeSpan) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: lhs.nanoseconds.saturatingSubtracting(rhs.nanoseconds))
  }
  @inlinable
  public static func - (lhs: MonotonicInstant, rhs: MonotonicInstant) -> TimeSpan {
    TimeSpan(nanoseconds: lhs.nanoseconds.saturatingSubtracting(rhs.nanoseconds))
  }
}
