import MediaCore

/// Decides when a change of the estimate is worth an event.
struct EstimateReporting {
  private static var interval: TimeSpan { .milliseconds(100) }
  private static var reminder: TimeSpan { .seconds(1) }

  private var last: (bitrate: Bitrate, at: MonotonicInstant)?

  /// Falls are reported from 3 % on, rises from 3 % on and not more often than each 100 ms; what stays is reported each
  /// second, since the owner weighs how long a path has taken a rate.
  mutating func isDue(_ bitrate: Bitrate, now: MonotonicInstant) -> Bool {
    if let last {
      let change = Double(bitrate.bitsPerSecond) / Double(max(1, last.bitrate.bitsPerSecond))
      let isRise = change >= 1.03 && now - last.at >= Self.interval
      guard change <= 0.97 || isRise || now - last.at >= Self.reminder else { return false }
    }
    last = (bitrate, now)
    return true
  }
}
