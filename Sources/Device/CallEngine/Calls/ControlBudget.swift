import MediaCore

/// How often the other party of a call may ask the device for something: what people do, and no flood that opens cameras or begins
/// archives without end.
struct ControlBudget: Sendable {
  /// The number available at once, then one each ``interval``.
  static let burst: Int64 = 10
  static let interval = TimeSpan.milliseconds(500)

  /// When the whole burst is there again.
  private var wholeAt: MonotonicInstant?
  /// Whether one was refused before, so that it is logged once.
  private(set) var isExceeded = false

  /// Returns whether one more is within the limit.
  mutating func take(now: MonotonicInstant) -> Bool {
    let next = max(wholeAt ?? now, now) + Self.interval
    guard next - now <= Self.interval * Self.burst else {
      isExceeded = true
      return false
    }
    wholeAt = next
    return true
  }
}
