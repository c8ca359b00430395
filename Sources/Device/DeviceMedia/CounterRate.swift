import MediaCore

/// Turns a growing counter into a rate, between the last two readings at least half a second apart.
struct CounterRate {
  private var last: (at: MonotonicInstant, count: UInt64)?
  /// What the counter counts, per second; zero before the second reading.
  private(set) var perSecond = 0.0

  mutating func update(_ count: UInt64, now: MonotonicInstant) {
    guard let last else {
      self.last = (now, count)
      return
    }
    let elapsed = (now - last.at).seconds
    guard elapsed >= 0.5 else { return }
    // A counter that was reset says nothing yet.
    perSecond = count >= last.count ? Double(count - last.count) / elapsed : 0
    self.last = (now, count)
  }
}
