internal import MediaCore

/// How far ahead of what sounds the playout thread writes.
///
/// Little, since what is written cannot be changed any more; more for a machine that is too busy for that. The clock
/// bounds it too, for devices that take samples without playing them.
struct PlayoutLeadTime {
  private var wanted = PlayoutLeadTime.least
  /// Up to when sound would last if the device played at the clock's pace.
  private var end: MonotonicInstant
  private var lastBlock: MonotonicInstant

  private static let block = TimeSpan.milliseconds(10)
  private static let least = TimeSpan.milliseconds(25)
  /// With one block more, what ``ALSAPlayback`` holds.
  private static let maximum = TimeSpan.milliseconds(45)
  private static let step = TimeSpan.milliseconds(10)
  /// A card's clock may be this much faster than ours: one percent.
  private static let countedBlock = TimeSpan.microseconds(9_900)
  private static let farthest = TimeSpan.milliseconds(200)
  /// What waits in a card sounds within this time.
  private let timeout: TimeSpan

  /// The card was opened.
  init(now: MonotonicInstant, timeout: TimeSpan = .milliseconds(500)) {
    (end, lastBlock) = (now, now)
    self.timeout = timeout
  }

  /// How long to wait before the next block, while this much waits in the card; nil for not at all.
  func pause(_ delay: TimeSpan, now: MonotonicInstant) -> TimeSpan? {
    let excess = max(delay - wanted, end - now - Self.farthest)
    // The card reports its delay in steps, so that a wait ends a little late rather than many times too early.
    return excess > .zero ? excess + .milliseconds(1) : nil
  }

  /// Whether the card reports for too long that sound waits in it: it has stopped without an error.
  func isStuck(now: MonotonicInstant) -> Bool { now - lastBlock > timeout }

  mutating func noteBlock(now: MonotonicInstant) {
    end = max(end, now) + Self.countedBlock
    lastBlock = now
  }

  mutating func noteUnderrun() { wanted = min(wanted + Self.step, Self.maximum) }
}
