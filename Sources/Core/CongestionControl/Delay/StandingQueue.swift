import MediaCore

/// Notices a queue that no longer grows but is still there, which the delay's gradient cannot see.
///
/// The queue is what packets take longer than the fastest of the last 10 to 20 s. Where a long delay does not shrink
/// although less is sent, the path itself has become longer, and that is the new measure.
struct StandingQueue {
  private static var window: TimeSpan { .seconds(10) }
  /// More than jitter and key frames make.
  private static var tolerated: TimeSpan { .milliseconds(150) }
  private static var drainTime: Double { 1.5 }
  private static var patience: Int { 3 }

  private var fastest: TimeSpan?
  private var fastestBefore: TimeSpan?
  private var windowStart: MonotonicInstant?
  /// The fastest packet since the last look.
  private var recent: TimeSpan?
  private var attempts = 0
  private var delayAtAttempt = TimeSpan.zero

  /// Takes a packet.
  mutating func add(sent: TimeSpan, arrived: TimeSpan) {
    let transit = arrived - sent
    recent = min(recent ?? transit, transit)
    fastest = min(fastest ?? transit, transit)
  }

  /// How long packets wait since the last call; zero while that is within what is tolerated.
  mutating func takeDelay(now: MonotonicInstant) -> TimeSpan {
    advance(now: now)
    guard let recent, let fastest else { return .zero }
    self.recent = nil
    let delay = recent - min(fastest, fastestBefore ?? fastest)
    guard delay > Self.tolerated else {
      attempts = 0
      return .zero
    }
    return delay
  }

  private mutating func advance(now: MonotonicInstant) {
    let start = windowStart ?? now
    windowStart = start
    guard now - start >= Self.window else { return }
    fastestBefore = fastest
    fastest = recent
    windowStart = now
  }

  /// Notes that less is sent because of the queue.
  mutating func noteAnswer(delay: TimeSpan) {
    attempts = delay < delayAtAttempt * 9 / 10 ? 1 : attempts + 1
    delayAtAttempt = delay
    guard attempts > Self.patience else { return }
    self = StandingQueue()
  }

  /// The part of what gets through that lets such a queue drain in good time.
  static func drainFactor(_ delay: TimeSpan) -> Double { max(0.5, 1 - delay.seconds / drainTime) }
}
