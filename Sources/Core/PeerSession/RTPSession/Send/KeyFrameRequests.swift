import MediaCore

/// Limits how often the encoder is asked for a key frame: at most twice a second, but a request that comes too early
/// waits and is not forgotten.
struct KeyFrameRequests {
  private static var interval: TimeSpan { .milliseconds(500) }

  private var last: MonotonicInstant?
  private var isWaiting = false

  /// When a request that waits is due.
  var deadline: MonotonicInstant {
    guard isWaiting else { return .distantFuture }
    return last.map { $0 + Self.interval } ?? MonotonicInstant(nanoseconds: .min)
  }

  mutating func request() { isWaiting = true }

  /// A key frame was sent: whoever asked has what they need.
  mutating func satisfy() { isWaiting = false }

  /// Whether to ask the encoder now.
  mutating func takeDue(now: MonotonicInstant) -> Bool {
    guard deadline <= now else { return false }
    isWaiting = false
    last = now
    return true
  }
}
