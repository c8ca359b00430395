public import MediaCore

/// Measures round trips by reports that the peer refers back to: sender reports (RFC 3550 §6.4.1) or receiver reference
/// times (RFC 3611 §4.5).
///
/// Times are taken on the monotonic clock, regardless of the reports' NTP time.
public struct RoundTripMeter: Sendable {
  /// Smoothed; nil before the first answer.
  public private(set) var roundTrip: TimeSpan?
  private var reports = InlineArray<8, (compact: UInt32, sent: MonotonicInstant)?>(repeating: nil)
  private var next = 0

  /// Nothing was sent.
  public init() {}

  /// Notes that a report with this NTP time leaves now.
  public mutating func send(_ ntp: NTPTimestamp, now: MonotonicInstant) {
    reports[next] = (ntp.compact, now)
    next = (next + 1) % reports.count
  }

  /// Takes an answer to the report of the compact NTP time `compact`, which the peer kept for `delay` in 65,536ths of a
  /// second. Returns the round trip that it shows, if any.
  @discardableResult
  public mutating func receive(answerTo compact: UInt32, delay: UInt32, now: MonotonicInstant) -> TimeSpan? {
    guard compact != 0, let sent = sendingTime(of: compact) else { return nil }
    let delay = TimeSpan(nanoseconds: (Int64(delay) * 1_000_000_000) >> 16)
    // A peer that claims to have waited for longer than the report is old measures nothing.
    guard delay <= now - sent else { return nil }
    let sample = now - sent - delay
    roundTrip = roundTrip.map { ($0 * 7 + sample) / 8 } ?? sample
    return sample
  }

  private func sendingTime(of compact: UInt32) -> MonotonicInstant? {
    for index in reports.indices {
      if let report = reports[index], report.compact == compact { return report.sent }
    }
    return nil
  }
}

/// Answers the receiver reference times of a peer (RFC 3611 §4.5).
public struct ReferenceTimeResponder: Sendable {
  private var last: (reporter: SSRC, compact: UInt32, arrival: MonotonicInstant)?

  /// Nothing has come.
  public init() {}

  /// Notes a reference time that arrived.
  public mutating func receive(_ ntp: NTPTimestamp, from reporter: SSRC, now: MonotonicInstant) {
    last = (reporter, ntp.compact, now)
  }

  /// The answer to the last reference time, once.
  public mutating func takeAnswer(now: MonotonicInstant) -> ReferenceTimeAnswer? {
    guard let last else { return nil }
    self.last = nil
    let delay = max(0, (now - last.arrival).nanoseconds)
    guard delay < 0xFFFF * 1_000_000_000 else { return nil }
    return ReferenceTimeAnswer(
      ssrc: last.reporter, lastReferenceTime: last.compact, delay: UInt32(clamping: delay << 16 / 1_000_000_000))
  }
}
