import MediaCore

/// Decides what to do about a queue that no longer grows but is still there, which the delay's gradient cannot see.
///
/// A delay that does not shrink although less is sent is no queue: the path itself has become longer.
struct StandingQueue {
  enum Verdict: Equatable {
    /// Nothing to do.
    case tolerable
    /// Less has to be sent until the queue has drained.
    case excessive
    /// The delay is the path's own.
    case longerPath
  }

  /// More than jitter and key frames make.
  private static var tolerated: TimeSpan { .milliseconds(150) }
  /// On a path whose delay swings by as much.
  private static var maxTolerated: TimeSpan { .milliseconds(350) }
  private static var drainTime: Double { 1.5 }
  private static var maxAttempts: Int { 3 }
  /// How long a shorter queue has to stand before it is answered.
  private static var lingering: TimeSpan { .milliseconds(1_500) }
  /// A decrease within this time before a standing queue was found counts as an answer to it.
  private static var notice: TimeSpan { .milliseconds(500) }
  /// How soon after a decrease a queue must have become shorter.
  private static var effect: TimeSpan { .seconds(1) }

  private var attempts = 0
  private var delayAtAttempt = TimeSpan.zero
  /// When packets began to wait, and their maximum wait.
  private var standing: (since: MonotonicInstant, delay: TimeSpan)?

  /// - Parameter lastDecrease: when less was sent for the last time.
  mutating func evaluate(_ gauge: QueuingDelayFilter, lastDecrease: MonotonicInstant?, now: MonotonicInstant) -> Verdict
  {
    let verdict = evaluateLingering(gauge, lastDecrease: lastDecrease, now: now)
    if gauge.delay > max(Self.tolerated, min(gauge.allowance * 5 / 2, Self.maxTolerated)) { return .excessive }
    attempts = 0
    return verdict
  }

  private mutating func evaluateLingering(
    _ gauge: QueuingDelayFilter, lastDecrease: MonotonicInstant?, now: MonotonicInstant
  ) -> Verdict {
    guard gauge.isStanding else {
      standing = nil
      return .tolerable
    }
    let known = (since: standing?.since ?? now, delay: max(standing?.delay ?? .zero, gauge.delay))
    standing = known
    guard now - known.since >= Self.lingering else { return .tolerable }
    guard let lastDecrease, lastDecrease + Self.notice >= known.since else {
      standing = (now, gauge.delay)
      return .excessive
    }
    guard now - lastDecrease >= Self.effect, !gauge.isGrowing else { return .tolerable }
    standing = (now, gauge.delay)
    return gauge.delay < known.delay * 4 / 5 ? .tolerable : .longerPath
  }

  /// Notes that less is sent because of the queue; returns whether that has been tried often enough.
  mutating func noteAnswer(delay: TimeSpan) -> Bool {
    attempts = delay < delayAtAttempt * 9 / 10 ? 1 : attempts + 1
    delayAtAttempt = delay
    guard attempts > Self.maxAttempts else { return false }
    self = StandingQueue()
    return true
  }

  /// The part of what gets through that lets such a queue drain in good time.
  static func drainFactor(_ delay: TimeSpan) -> Double { max(0.5, 1 - delay.seconds / drainTime) }
}
