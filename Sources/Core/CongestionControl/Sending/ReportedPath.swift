import MediaCore

/// What round trips and receiver reports reveal about a path.
///
/// A queue holds up every packet, jitter does not: of the round trips in a row over a quarter of a second, and two at least,
/// the shortest counts.
struct ReportedPath {
  private static var lossAllowance: Double { 0.02 }
  /// A path that loses by its nature does not lose the same part of each few packets.
  private static var inherentAllowance: Double { 0.6 }
  private static var queueAllowance: TimeSpan { .milliseconds(40) }
  private static var lifetime: TimeSpan { .seconds(3) }
  private static var pairing: TimeSpan { .seconds(2) }
  private static var row: TimeSpan { .milliseconds(250) }
  /// Answers to requests sent apart that arrive together were held up together: the last one reflects the path.
  private static var together: TimeSpan { .milliseconds(30) }
  /// How much longer than the path takes a request must wait: by then the next one would have its
  /// answer, were only this one lost.
  private static var overdue: TimeSpan { .milliseconds(100) }
  /// How long a pending request is evidence.
  private static var pendingLifetime: TimeSpan { .milliseconds(150) }
  /// Between two requests that show how a queue grows.
  private static var leastGrowthSpan: TimeSpan { .milliseconds(50) }

  private struct Sample {
    var span: TimeSpan
    var at: MonotonicInstant
    var sent: MonotonicInstant { at - span }
  }

  /// The loss beyond the path's inherent loss.
  private var lossFraction = 0.0
  private var allowedLoss = lossAllowance
  private var shortest = ShortestRoundTrip()
  private var earlier: Sample?
  private var previous: Sample?
  private var last: Sample?
  /// How long a request had waited for its answer, and when that was noted.
  private var pending: (span: TimeSpan, at: MonotonicInstant)?
  /// When consecutive reports last showed losses or a longer round trip.
  private var busyAt: MonotonicInstant?

  mutating func note(_ span: TimeSpan, now: MonotonicInstant) {
    let wasFree = isFree
    shortest.note(span, now: now)
    pending = nil
    let sample = Sample(span: span, at: now)
    if let last, now - last.at < Self.together, span < last.span {
      self.last = sample
    } else {
      (earlier, previous, last) = (previous, last, sample)
    }
    if !wasFree, !isFree { busyAt = now }
  }

  /// Takes for how long a question has waited for its answer.
  mutating func notePending(_ span: TimeSpan, now: MonotonicInstant) { pending = (span, now) }

  /// - Parameters:
  ///   - loss: beyond what the path loses by its nature, 0 to 1.
  ///   - inherent: its inherent loss.
  mutating func note(loss: Double, inherent: Double) {
    lossFraction = loss
    allowedLoss = Self.lossAllowance + Self.inherentAllowance * inherent
  }

  /// The path has become longer: discards its history.
  mutating func forget() {
    shortest = ShortestRoundTrip()
    (earlier, previous, last, pending, busyAt) = (nil, nil, nil, nil, nil)
  }

  /// The shortest of the last round trips in a row; nil before there is one.
  var span: TimeSpan? {
    guard let last else { return nil }
    guard let previous, last.at - previous.at <= Self.pairing else { return last.span }
    let pair = min(last.span, previous.span)
    guard let earlier, last.sent - earlier.sent <= Self.row else { return pair }
    return min(pair, earlier.span)
  }

  /// As ``span``, if it was measured after `instant`.
  func span(since instant: MonotonicInstant) -> TimeSpan? { last.flatMap { $0.at > instant ? span : nil } }

  /// The last round trip, and by how much longer it was than the one before for each second between their questions, if both
  /// were asked before `instant`. A path that is offered 1 + x times what it takes has a growth of x.
  func growth(before instant: MonotonicInstant) -> (span: TimeSpan, perSecond: Double)? {
    guard let last, let previous, last.sent <= instant, last.sent - previous.sent >= Self.leastGrowthSpan else {
      return nil
    }
    return (last.span, (last.span - previous.span).seconds / (last.sent - previous.sent).seconds)
  }

  var isFree: Bool { !isLong && lossFraction <= allowedLoss }

  /// Whether for some seconds at most single reports have shown anything else: what made an estimate fall was no queue,
  /// but a peer that stood still, and with it a report.
  func wasIdle(now: MonotonicInstant) -> Bool { busyAt.map { now - $0 > Self.lifetime } ?? true }

  /// How long packets seem to wait on the path; nil where that is not known.
  var queue: TimeSpan? {
    guard let span, let shortest = shortest.span else { return nil }
    return span - shortest
  }

  /// Whether consecutive reports have shown losses or a longer round trip since `instant`.
  func wasBusy(since instant: MonotonicInstant) -> Bool { busyAt.map { $0 > instant } ?? false }

  /// Whether the last round trips were longer than the shortest of late by more than chance.
  var isLong: Bool { isLong(span) }

  /// Whether the last one was, be it by chance.
  var isLastLong: Bool { isLong(last?.span) }

  private func isLong(_ span: TimeSpan?) -> Bool {
    guard let span, let shortest = shortest.span else { return false }
    return span > shortest + max(Self.queueAllowance, shortest / 2)
  }

  /// Whether a request has waited long enough to prove a queue on the path, or several losses.
  func isOverdue(now: MonotonicInstant) -> Bool {
    guard let pending, let shortest = shortest.span, now - pending.at <= Self.pendingLifetime else { return false }
    return pending.span >= shortest + max(Self.overdue, shortest)
  }

  /// Neither losses nor a longer round trip, as reported lately and after `event`.
  func isIdle(since event: MonotonicInstant?, now: MonotonicInstant) -> Bool {
    guard let last, now - last.at <= Self.lifetime else { return false }
    if let event, last.at <= event { return false }
    return isFree
  }
}

/// The shortest round trip of the last half minute to minute: a permanently longer path is not a queue
/// forever.
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
      // A period without reports is unknown.
      previous = now - start >= Self.window * 2 ? nil : current
      current = nil
      began = now
    }
    current = min(span, current ?? span)
  }
}
