internal import MediaCore

/// Finds out, from how far a stream of sound is off, by how much it must be stretched to follow another clock.
///
/// A proportional and integral controller, critically damped: the integral learns how much faster one clock runs, the
/// proportional part takes out what is off. Slow on purpose, since single measurements err by milliseconds.
struct ClockFollower {
  /// Parts per million; positive means that more samples have to be made.
  private(set) var correction = 0.0

  private let timeConstant: Double
  private let tolerance: TimeSpan
  private var learned = 0.0
  private var unsettled = ClockFollower.settlingTime

  /// No clock deviates by more than this; a third of the smallest audible step in pitch.
  private static let limit = 1_000.0
  /// After an interruption what is off comes from where sound was taken up again, not from the clocks.
  private static let settlingTime = TimeSpan.seconds(10)

  /// - Parameters:
  ///   - timeConstant: how long it takes, about, to take out what is off.
  ///   - tolerance: what may be off permanently; measurements that wander by less change nothing.
  init(timeConstant: TimeSpan, tolerance: TimeSpan = .zero) {
    self.timeConstant = timeConstant.seconds
    self.tolerance = tolerance
  }

  /// Takes the mean of what the stream was off over `time`; positive when it is early, that is too short.
  mutating func follow(_ offset: TimeSpan, over time: TimeSpan) {
    let excess = offset - min(max(offset, .zero - tolerance), tolerance)
    let proportional = excess.seconds / timeConstant * 1e6
    if unsettled > .zero {
      unsettled = unsettled - time
    } else if abs(proportional + learned) < Self.limit {
      learned += proportional * time.seconds / (4 * timeConstant)
      learned = min(max(learned, -Self.limit), Self.limit)
    }
    correction = min(max(proportional + learned, -Self.limit), Self.limit)
  }

  /// Sound was lost: what was learned stays, and what is off now teaches nothing for a while.
  mutating func interrupt() { unsettled = Self.settlingTime }
}

/// The mean of measurements over a stretch of sound.
struct OffsetWindow {
  private let length: TimeSpan
  private var ignored: TimeSpan
  private var sum: Int64 = 0
  private var count: Int64 = 0
  private(set) var time = TimeSpan.zero

  /// - Parameter ignored: sound before the stretch, whose measurements count for nothing.
  init(length: TimeSpan, after ignored: TimeSpan = .zero) {
    self.length = length
    self.ignored = ignored
  }

  /// Takes one measurement that stands for this much sound.
  mutating func add(_ offset: TimeSpan, over time: TimeSpan) {
    guard ignored <= .zero else { return ignored = ignored - time }
    sum += offset.nanoseconds
    count += 1
    self.time = self.time + time
  }

  /// The mean, once the stretch is full; begins the next one.
  mutating func takeMean() -> TimeSpan? {
    guard time >= length else { return nil }
    defer { self = OffsetWindow(length: length) }
    return TimeSpan(nanoseconds: sum / count)
  }
}
