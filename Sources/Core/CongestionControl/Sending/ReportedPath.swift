import MediaCore

/// What receiver reports tell of a path.
struct ReportedPath {
  private static var lossAllowance: Double { 0.02 }
  private static var queueAllowance: TimeSpan { .milliseconds(40) }
  private static var lifetime: TimeSpan { .seconds(3) }

  var lossFraction = 0.0
  private var shortest = ShortestRoundTrip()
  private var last: (span: TimeSpan, at: MonotonicInstant)?
  /// When two reports in a row last told of losses or a longer round trip.
  private var busyAt: MonotonicInstant?

  mutating func note(_ span: TimeSpan, now: MonotonicInstant) {
    let wasFree = isFree
    shortest.note(span, now: now)
    last = (span, now)
    if !wasFree, !isFree { busyAt = now }
  }

  private var isFree: Bool { !isLong && lossFraction <= Self.lossAllowance }

  /// Whether for some seconds at most single reports have told of anything else: what made an estimate fall was no queue, but
  /// a peer that stood still, and with it a report.
  func wasIdle(now: MonotonicInstant) -> Bool { busyAt.map { now - $0 > Self.lifetime } ?? true }

  /// Whether the last round trip was longer than the shortest of late by more than chance.
  var isLong: Bool {
    guard let last, let shortest = shortest.span else { return false }
    return last.span > shortest + max(Self.queueAllowance, shortest / 2)
  }

  /// Neither losses nor a longer round trip, as reported lately and after `event`.
  func isIdle(since event: MonotonicInstant?, now: MonotonicInstant) -> Bool {
    guard let last, now - last.at <= Self.lifetime else { return false }
    if let event, last.at <= event { return false }
    return isFree
  }
}

/// The shortest round trip of the last half minute to minute: a path that has become longer for good is not a queue for
/// ever.
struct ShortestRoundTrip {
  private static var window: TimeSpan { .seconds(30) }

  /// The shortest of this window, and of the one before.
  private var current: TimeSpan?
  private var previous: TimeSpan?
  private var began: MonotonicInstant?

  var span: TimeSpan? {
    guard let current else { return previous }
    return min(current, previous ?? current)
  }

  mutating func note(_ span: TimeSpan, now: MonotonicInstant) {
    let start = began ?? now
    began = start
    if now - start >= Self.window {
      // Of a time without reports nothing is known.
      previous = now - start >= Self.window * 2 ? nil : current
      current = nil
      began = now
    }
    current = min(span, current ?? span)
  }
}
