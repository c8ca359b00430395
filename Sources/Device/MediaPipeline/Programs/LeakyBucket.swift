internal import MediaCore

/// Notices what comes faster than it may for longer than a moment.
struct LeakyBucket: Hashable {
  private let capacity: Double
  private let rate: Double
  private var level = 0.0
  private var last: MonotonicInstant?

  /// - Parameters:
  ///   - capacity: what may come at once.
  ///   - rate: what may come in a second for ever.
  init(capacity: Double, rate: Double) {
    self.capacity = capacity
    self.rate = rate
  }

  /// Returns false where that is too much; then it is not counted.
  mutating func add(_ amount: Double, now: MonotonicInstant) -> Bool {
    let elapsed = last.map { Double((now - $0).nanoseconds) / 1e9 } ?? 0
    level = max(0, level - elapsed * rate)
    last = now
    guard level + amount <= capacity else { return false }
    level += amount
    return true
  }
}
