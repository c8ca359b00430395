import MediaCore

/// Where the rate may quickly return to after a decrease: to where it was, if that may have been a mistake, or to what
/// the path takes, once the queue has drained.
///
/// A second alarm shortly after the first is believed more: the rate returns to less than what caused it.
struct Recovery {
  /// As a share of the rate, each second.
  private static var growth: Double { 1 }
  private static var caution: Double { 0.85 }
  private static var memory: TimeSpan { .seconds(10) }

  /// In bits a second.
  private(set) var goal: Double?
  /// The rate before a queue was found of which it is not known yet whether it drains.
  private var pending: Double?
  private var lastAlarm: MonotonicInstant?

  /// Notes a decrease from `rate` that may have been a mistake.
  mutating func noteAlarm(from rate: Double, now: MonotonicInstant) {
    let isRepeated = lastAlarm.map { now - $0 < Self.memory } ?? false
    note(from: rate, goal: isRepeated ? Self.caution * rate : rate, now: now)
  }

  /// Notes a decrease from `rate` because of a confirmed standing queue, after which the path takes `steady`.
  mutating func noteQueue(from rate: Double, steadyAt steady: Double, now: MonotonicInstant) {
    note(from: rate, goal: steady, now: now)
  }

  private mutating func note(from rate: Double, goal: Double, now: MonotonicInstant) {
    self.goal = goal
    lastAlarm = now
    pending = max(pending ?? rate, rate)
  }

  /// Notes that there is no queue (any more): it drained, or it never was one and the path is longer.
  mutating func noteEmpty(isPathLonger: Bool) {
    if isPathLonger { goal = pending }
    pending = nil
  }

  /// The rate after this time, nil where there is nothing to return to.
  mutating func raise(_ rate: Double, over seconds: Double) -> Double? {
    guard let goal, rate < goal else {
      goal = nil
      return nil
    }
    return min(rate * (1 + Self.growth * seconds), goal)
  }
}
