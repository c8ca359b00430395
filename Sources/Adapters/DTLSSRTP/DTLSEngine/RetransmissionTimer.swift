import MediaCore

/// When to send the last flight again, on the monotonic clock.
struct RetransmissionTimer {
  private static let initial = TimeSpan.milliseconds(100)
  private static let maximum = TimeSpan.seconds(2)

  /// The current interval.
  private(set) var interval = initial
  private(set) var deadline: MonotonicInstant?

  /// A new flight has been made.
  mutating func start(now: MonotonicInstant) {
    interval = Self.initial
    deadline = now + interval
  }

  /// The flight is about to be sent again; the next interval is twice as long.
  mutating func backOff(now: MonotonicInstant) {
    interval = min(interval * 2, Self.maximum)
    deadline = now + interval
  }

  mutating func stop() {
    interval = Self.initial
    deadline = nil
  }

  /// OpenSSL's own timer: a little less, so that it has run out when ours does.
  var openSSLMicroseconds: UInt32 { UInt32(clamping: (interval - .milliseconds(5)).nanoseconds / 1_000) }
}
