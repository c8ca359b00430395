import MediaCore

/// What a peer's own estimate (REMB, draft-alvestrand-rmcat-remb) says of its path.
///
/// A receiver caps what it estimates at one and a half times what it receives, and takes a pause of its own for a queue, after
/// which it climbs by 8 % a second. So:
/// - An estimate that allows more than is offered tells nothing of the path. The limit stays, grows slowly, and is probed.
/// - A fall counts at once. When the estimate rises again and reports show an idle path, the limit returns to what the path
///   took before, faster than the peer's estimate does. If that is followed by another fall, the next attempt waits longer.
/// - An estimate that stands still under what is offered is the peer's wish, and holds.
struct ReceiverEstimate {
  /// A receiver that gets all of what is offered allows more than this times as much.
  private static var binding: Double { 1.2 }
  private static var fall: Double { 0.97 }
  private static var rise: Double { 1.02 }
  /// Factors a second: of the return to what the path took, after a queue and without one, and of growth beyond.
  private static var climb: Double { 3 }
  private static var quickClimb: Double { 8 }
  private static var growth: Double { 1.08 }
  private static var probeFactor: Double { 1.5 }
  private static var nearlyAll: Double { 0.95 }
  /// After so long without a rise an estimate stands still.
  private static var standstill: TimeSpan { .seconds(2) }
  private static var firstRest: TimeSpan { .milliseconds(500) }
  private static var longestRest: TimeSpan { .seconds(30) }
  /// Until reports tell of a probe, and until none will.
  private static var probeReports: ClosedRange<TimeSpan> { .milliseconds(1_500)...(.seconds(4)) }

  /// In bits a second; infinite until an estimate has been less than what was offered.
  private(set) var limit = Double.infinity

  private var offered = OfferedRate()
  private var path = ReportedPath()
  private var latest: Double?
  /// The estimate when it last changed for certain, and whether that was upwards.
  private var change: (estimate: Double, at: MonotonicInstant, isRise: Bool)?
  private var lastFall: MonotonicInstant?
  /// What the path took before the fall.
  private var target = Double.infinity
  private var rest = firstRest
  private var grownAt: MonotonicInstant?
  private var probe: (rate: Double, at: MonotonicInstant)?
  private var isProbeDue = false

  /// Notes that a packet leaves.
  mutating func send(_ byteCount: Int, now: MonotonicInstant) { offered.add(byteCount, now: now) }

  /// What was sent over the last second, in bits a second.
  mutating func offeredRate(now: MonotonicInstant) -> Double { offered.rate(now: now) }

  /// Takes the fraction lost, 0 to 1, beyond what the path loses by its nature.
  mutating func noteLoss(_ fraction: Double) { path.lossFraction = fraction }

  /// Whether the last round trip was longer than the path takes by itself.
  var seesLongRoundTrip: Bool { path.isLong }

  mutating func noteRoundTrip(_ span: TimeSpan, now: MonotonicInstant) {
    path.note(span, now: now)
    concludeProbe(now: now)
    grow(now: now)
    if let latest, latest < Self.fall * limit, !path.isIdle(since: nil, now: now), isBinding(now: now) {
      lower(to: latest, now: now)
    }
    isProbeDue = probe == nil && limit.isFinite && mayTakeMore(now: now) && !isBinding(now: now)
  }

  /// Takes an estimate of the peer, in bits a second.
  mutating func receive(_ estimate: Double, now: MonotonicInstant) {
    let hasFallen = latest.map { estimate < Self.fall * $0 } ?? true
    latest = estimate
    noteChange(estimate, now: now)
    grow(now: now)
    if estimate >= limit {
      limit = estimate
    } else if isBinding(now: now) {
      if hasFallen { lower(to: estimate, now: now) } else if isStanding(now: now) { limit = estimate }
    }
  }

  private mutating func noteChange(_ estimate: Double, now: MonotonicInstant) {
    guard let last = change else { return change = (estimate, now, false) }
    if estimate >= Self.rise * last.estimate { change = (estimate, now, true) }
    if estimate < Self.fall * last.estimate { change = (estimate, now, false) }
  }

  private mutating func lower(to estimate: Double, now: MonotonicInstant) {
    let isRepeated = lastFall.map { now - $0 < rest + rest + Self.standstill } ?? false
    rest = isRepeated ? min(rest + rest, Self.longestRest) : Self.firstRest
    if !isRepeated { target = min(limit, max(estimate, offered.rate(now: now))) }
    limit = min(limit, estimate)
    lastFall = now
    probe = nil
    isProbeDue = false
  }

  private mutating func grow(now: MonotonicInstant) {
    let elapsed = min(grownAt.map { now - $0 } ?? .zero, .seconds(1)).seconds
    grownAt = now
    guard limit.isFinite, mayTakeMore(now: now), !isBinding(now: now) || isRising(now: now) else { return }
    let climb = path.wasIdle(now: now) ? Self.quickClimb : Self.climb
    let factor = limit < target ? climb : Self.growth
    // The exponential's chord: within a second the difference is small.
    let grown = limit * (1 + (factor - 1) * elapsed)
    limit = limit < target ? min(target, grown) : grown
  }

  // MARK: What the estimate tells

  private mutating func isBinding(now: MonotonicInstant) -> Bool {
    latest.map { $0 < Self.binding * offered.rate(now: now) } ?? false
  }

  private func isRising(now: MonotonicInstant) -> Bool { change?.isRise == true && !isStanding(now: now) }

  private func isStanding(now: MonotonicInstant) -> Bool { change.map { now - $0.at >= Self.standstill } ?? false }

  private func mayTakeMore(now: MonotonicInstant) -> Bool {
    lastFall.map { now - $0 >= rest } ?? true && path.isIdle(since: lastFall, now: now)
  }

  // MARK: Probes

  /// The rate at which to send for a while, to learn whether the path takes it; nil where there is no reason to.
  mutating func takeProbe(limit upper: Double, now: MonotonicInstant) -> Double? {
    guard isProbeDue, limit < Self.nearlyAll * upper else { return nil }
    isProbeDue = false
    let rate = min(Self.probeFactor * limit, upper)
    probe = (rate, now)
    return rate
  }

  /// Whether ``takeProbe(limit:now:)`` has one, whatever the time.
  func hasProbe(limit upper: Double) -> Bool { isProbeDue && limit < Self.nearlyAll * upper }

  /// A probe after which the reports are as before has shown what the path takes.
  private mutating func concludeProbe(now: MonotonicInstant) {
    guard let current = probe, now - current.at >= Self.probeReports.lowerBound else { return }
    probe = nil
    guard now - current.at <= Self.probeReports.upperBound, path.isIdle(since: lastFall, now: now) else { return }
    limit = max(limit, current.rate)
  }
}
