import MediaCore

/// Decides what to do about a queue that no longer grows but is still there, which the delay's gradient cannot see.
///
/// Where a long delay does not shrink although less is sent, it is no queue: the path itself has become longer.
struct StandingQueue {
  /// More than jitter and key frames make.
  private static var tolerated: TimeSpan { .milliseconds(150) }
  /// On a path whose delay swings by as much.
  private static var mostTolerated: TimeSpan { .milliseconds(350) }
  private static var drainTime: Double { 1.5 }
  private static var patience: Int { 3 }

  private var attempts = 0
  private var delayAtAttempt = TimeSpan.zero

  /// The part of `gauge`'s delay that calls for an answer; zero while that is within what is tolerated.
  mutating func excess(_ gauge: QueueGauge) -> TimeSpan {
    let delay = gauge.delay
    if delay > max(Self.tolerated, min(gauge.allowance * 5 / 2, Self.mostTolerated)) { return delay }
    attempts = 0
    return .zero
  }

  /// Notes that less is sent because of the queue; returns whether that has been tried often enough.
  mutating func noteAnswer(delay: TimeSpan) -> Bool {
    attempts = delay < delayAtAttempt * 9 / 10 ? 1 : attempts + 1
    delayAtAttempt = delay
    guard attempts > Self.patience else { return false }
    self = StandingQueue()
    return true
  }

  /// The part of what gets through that lets such a queue drain in good time.
  static func drainFactor(_ delay: TimeSpan) -> Double { max(0.5, 1 - delay.seconds / drainTime) }
}
