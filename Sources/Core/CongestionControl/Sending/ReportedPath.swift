import MediaCore

/// What round trips and receiver reports tell of a path.
///
/// A queue holds up every packet, jitter does not: of two round trips in a row the shorter counts.
struct ReportedPath {
  private static var lossAllowance: Double { 0.02 }
  /// A path that loses by its nature does not lose the same part of each few packets.
  private static var inherentAllowance: Double { 0.6 }
  private static var queueAllowance: TimeSpan { .milliseconds(40) }
  private static var lifetime: TimeSpan { .seconds(3) }
  private static var pairing: TimeSpan { .seconds(2) }

  /// Beyond what the path loses by its nature.
  private var lossFraction = 0.0
  private var allowedLoss = lossAllowance
  private var shortest = ShortestRoundTrip()
  private var previous: (span: TimeSpan, at: MonotonicInstant)?
  private var last: (span: TimeSpan, at: MonotonicInstant)?
  /// When two reports in a row last told of losses or a longer round trip.
  private var busyAt: MonotonicInstant?

  mutating func note(_ span: TimeSpan, now: MonotonicInstant) {
    let wasFree = isFree
    shortest.note(span, now: now)
    previous = last
    last = (span, now)
    if !wasFree, !isFree { busyAt = now }
  }

  /// - Parameters:
  ///   - loss: beyond what the path loses by its nature, 0 to 1.
  ///   - inherent: what it loses by its nature.
  mutating func note(loss: Double, inherent: Double) {
    lossFraction = loss
    allowedLoss = Self.lossAllowance + Self.inherentAllowance * inherent
  }

  /// The path has become longer: what was known of it is void.
  mutating func forget() {
    shortest = ShortestRoundTrip()
    (previous, last, busyAt) = (nil, nil, nil)
  }

  /// The shorter of the last two round trips; nil before there is one.
  var span: TimeSpan? {
    guard let last else { return nil }
    guard let previous, last.at - previous.at <= Self.pairing else { return last.span }
    return min(last.span, previous.span)
  }

  /// As ``span``, if it was measured after `instant`.
  func span(since instant: MonotonicInstant) -> TimeSpan? { last.flatMap { $0.at > instant ? span : nil } }

  var isFree: Bool { !isLong && lossFraction <= allowedLoss }

  /// Whether for some seconds at most single reports have told of anything else: what made an estimate fall was no queue, but
  /// a peer that stood still, and with it a report.
  func wasIdle(now: MonotonicInstant) -> Bool { busyAt.map { now - $0 > Self.lifetime } ?? true }

  /// How long packets seem to wait on the path; nil where that is not known.
  var queue: TimeSpan? {
    guard let span, let shortest = shortest.span else { return nil }
    return span - shortest
  }

  /// Whether two reports in a row have told of losses or a longer round trip since `instant`.
  func wasBusy(since instant: MonotonicInstant) -> Bool { busyAt.map { $0 > instant } ?? false }

  /// Whether the last round trips were longer than the shortest of late by more than chance.
  var isLong: Bool {
    guard let span, let shortest = shortest.span else { return false }
    return span > shortest + max(Self.queueAllowance, shortest / 2)
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
