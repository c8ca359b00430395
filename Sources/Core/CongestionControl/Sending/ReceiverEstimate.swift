import MediaCore

/// What the path of a peer without transport-wide feedback takes, by its own estimate (REMB, draft-alvestrand-rmcat-remb) and
/// by round trips.
///
/// A receiver caps what it estimates at one and a half times what it receives, climbs by 8 % a second or, near what it takes for
/// the path's limit, by a packet a round trip, and may take a pause of its own for a queue. So the level of an estimate
/// says little, and it is believed only for what was really offered:
/// - A fall under what is offered counts at once, and so do two round trips in a row that are longer than the path is. What
///   gets through then is what the path takes (`knee`).
/// - After a deep fall less is sent until the queue is gone. Receivers report means of a second, and a queue may be full before
///   those say so: a fall while a check waits long for its answer is deep, however small.
/// - While round trips show no queue, the limit grows by more than half each second as far as that much is offered, and grows slowly near the
///   knee; what the encoder does not offer, padding does.
/// - A fall that no round trip confirms was none of the path's: once the estimate rises again, what was sent before is sent
///   again soon. One that does not rise, and one that stands still although all of it is offered, is the peer's wish.
struct ReceiverEstimate {
  /// A receiver that gets all of what is offered allows more than this times as much.
  private static var binding: Double { 1.2 }
  /// A receiver that caps its estimate by what it receives never allows this multiple of it.
  private static var uncapped: Double { 2 }
  private static var capped: Double { 1.5 }
  /// With this share of it offered, an estimate would rise unless the peer wants the limit.
  private static var used: Double { 0.85 }
  private static var fall: Double { 0.97 }
  private static var rise: Double { 1.02 }
  private static var slightRise: Double { 1.005 }
  /// The share of the throughput that lets a queue drain.
  private static var decrease: Double { 0.85 }
  /// Factors a second: of growth far from the knee, near it, and back to it.
  private static var growth: Double { 1.6 }
  private static var carefulGrowth: Double { 1.12 }
  private static var quickGrowth: Double { 4 }
  /// The growth after a fall that was not the path's.
  private static var recovery: Double { 8 }
  private static var nearKnee: ClosedRange<Double> { 0.88...1.12 }
  private static var kneeMemory: TimeSpan { .seconds(20) }
  /// The share of the limit that must be offered for growth; padding makes up for less.
  private static var offeredForGrowth: Double { 0.7 }
  private static var offeredWithoutPadding: Double { 0.8 }
  private static var padding: Double { 1.15 }
  private static var nearlyAll: Double { 0.95 }
  /// A fall to less than this part of what was offered leaves a long queue, which drains at this part of the limit.
  private static var deepFall: Double { 0.65 }
  private static var draining: Double { 0.3 }
  /// The share that remains where the queue is short.
  private static var gentleDraining: Double { 0.75 }
  private static var shortQueue: TimeSpan { .milliseconds(150) }
  /// The share of the offered rate that is sent until a round trip shows how long the queue is.
  private static var blindDraining: Double { 0.1 }
  /// A queue's growth proves only that this share of the offered rate got through: it may have begun in between.
  private static var leastCapacity: Double { 0.25 }
  /// The growth per second that marks a queue rather than the path's jitter.
  private static var leastGrowth: Double { 0.2 }
  /// How often the queue is checked for shrinking, and how often in a row it may not shrink: then the path has become
  /// longer.
  private static var drainInterval: TimeSpan { .seconds(1) }
  private static var stubbornness: Int { 3 }
  /// Falls in one such span are one.
  private static var episode: TimeSpan { .milliseconds(500) }
  /// Estimates so close to each other are those of one report.
  private static var report: TimeSpan { .milliseconds(20) }
  /// After this long without a rise an estimate is stagnant.
  private static var standstill: TimeSpan { .seconds(2) }
  /// After a queue receivers hold their estimate for seconds.
  private static var standstillAfterQueue: TimeSpan { .seconds(8) }
  private static var rests: ClosedRange<TimeSpan> { .milliseconds(500)...(.seconds(2)) }
  private static var probeSpan: TimeSpan { .milliseconds(700) }
  private static var recoverySpan: TimeSpan { .seconds(4) }

  /// A queue that is being drained.
  private struct Drain {
    /// The round trip at the last check, and the time of that check.
    var span: TimeSpan
    var at: MonotonicInstant
    /// The share of the limit that is sent meanwhile.
    var part: Double
    let began: MonotonicInstant
    /// The send limit in bits a second, until a round trip shows how long the queue is.
    var ceiling = Double.infinity
    /// How often the queue has not shrunk.
    var stubborn = 0

    init(span: TimeSpan, at now: MonotonicInstant, part: Double, ceiling: Double) {
      (self.span, at, began, self.part, self.ceiling) = (span, now, now, part, ceiling)
    }

    mutating func noteQueue(_ span: TimeSpan, now: MonotonicInstant) { (self.span, at) = (span, now) }
  }

  private struct Falls {
    var last: MonotonicInstant?
    /// When only round trips last lowered the limit.
    var lastForDelay: MonotonicInstant?
    /// How long nothing grows after one.
    var rest = rests.lowerBound
  }

  /// Whether round trips lower the limit: where feedback names each packet, that knows better.
  private let reactsToDelay: Bool
  private var offered = OfferedRate()
  private var path = ReportedPath()
  /// In bits a second; infinite until an estimate was below the offered rate.
  private var level = Double.infinity
  private var latest: Double?
  /// The estimate when it last changed for certain.
  private var change: (estimate: Double, at: MonotonicInstant)?
  private var lastRise: MonotonicInstant?
  private var falls = Falls()
  /// The offered rate when the present fall began.
  private var offeredBefore = 0.0
  /// What the path took when it was last full.
  private var knee: (rate: Double, at: MonotonicInstant)?
  /// The rate before an unconfirmed fall.
  private var recoverable: Double?
  private var drain: Drain?
  private var grownAt: MonotonicInstant?
  private var probedAt: MonotonicInstant?
  private var isProbeDue = false

  init(reactsToDelay: Bool = true) { self.reactsToDelay = reactsToDelay }

  /// The permitted rate, in bits a second.
  var limit: Double { drain.map { min($0.part * level, $0.ceiling) } ?? level }

  /// Whether that is less than nearly all of `upper`.
  func isLimited(below upper: Double) -> Bool { level < Self.nearlyAll * upper }

  /// Whether packets wait on the path.
  var hasQueue: Bool { drain != nil }

  /// How fast packets may follow each other where it is known what the path takes: a key frame waits here, where sound
  /// overtakes it, and not in a router.
  func capacity(now: MonotonicInstant) -> Double? {
    guard let knee, now - knee.at < Self.kneeMemory else { return nil }
    return limit
  }

  /// Notes that a packet leaves.
  mutating func send(_ byteCount: Int, now: MonotonicInstant) { offered.add(byteCount, now: now) }

  /// The rate sent over the last second, in bits a second.
  mutating func offeredRate(now: MonotonicInstant) -> Double { offered.rate(now: now) }

  /// Takes the fraction lost, 0 to 1, beyond what the path loses by its nature, and that.
  mutating func noteLoss(_ fraction: Double, inherent: Double = 0) {
    path.note(loss: fraction, inherent: inherent)
  }

  /// Whether the last round trips were longer than the path's own.
  var seesLongRoundTrip: Bool { path.isLong }

  /// Whether losses are those of a queue that was found full, and was answered already.
  func explainsLosses(within span: TimeSpan, now: MonotonicInstant) -> Bool {
    drain != nil || falls.last.map { now - $0 < span } ?? false
  }

  /// The rate offered over the last second, if neither losses nor round trips contradict it; else 0.
  mutating func provenRate(now: MonotonicInstant) -> Double {
    path.isIdle(since: falls.last, now: now) ? offered.rate(now: now) : 0
  }

  mutating func noteRoundTrip(_ span: TimeSpan, now: MonotonicInstant) {
    path.note(span, now: now)
    if !path.isFree { recoverable = nil }
    measureQueue(now: now)
    followDrain(now: now)
    if reactsToDelay, path.isLong, drain == nil { lowerForDelay(now: now) }
    grow(now: now)
    if let probedAt, now - probedAt > Self.probeSpan { self.probedAt = nil }
    let isShort = offered.rate(now: now) < Self.offeredWithoutPadding * level
    isProbeDue = probedAt == nil && level.isFinite && mayTakeMore(now: now) && isShort
  }

  /// Takes how long a request has waited for the answer that will show a round trip.
  mutating func notePendingRoundTrip(_ span: TimeSpan, now: MonotonicInstant) {
    path.notePending(span, now: now)
    if falls.last.map({ now - $0 < Self.episode }) ?? false { drainIfOverdue(now: now) }
  }

  /// Takes an estimate of the peer, in bits a second, all streams together.
  mutating func receive(_ estimate: Double, now: MonotonicInstant) {
    let hasFallen = latest.map { estimate < Self.fall * $0 } ?? true
    if let latest, estimate > Self.slightRise * latest { lastRise = now }
    latest = estimate
    let rate = offered.rate(now: now)
    noteChange(estimate, now: now)
    followDrain(now: now)
    if hasFallen, estimate < Self.binding * rate {
      lower(to: estimate, now: now)
    } else if estimate > level, drain == nil {
      level = max(level, estimate > Self.uncapped * rate ? estimate : min(estimate, Self.capped * rate))
    } else if isWish(now: now) {
      level = min(level, estimate)
    }
  }

  // MARK: What the estimate shows

  private mutating func noteChange(_ estimate: Double, now: MonotonicInstant) {
    guard let last = change else { return change = (estimate, now) }
    if estimate >= Self.rise * last.estimate || estimate < Self.fall * last.estimate { change = (estimate, now) }
  }

  /// Whether the estimate stands still although all of it is offered.
  private mutating func isWish(now: MonotonicInstant) -> Bool {
    guard let change, offered.rate(now: now) >= Self.used * change.estimate else { return false }
    guard !path.wasBusy(since: change.at - .seconds(3)) else { return now - change.at >= Self.standstillAfterQueue }
    return !hasRisenAgain || now - max(change.at, lastRise ?? change.at) >= Self.standstill
  }

  /// Since the last fall.
  private var hasRisenAgain: Bool {
    guard let lastFall = falls.last else { return true }
    return lastRise.map { $0 > lastFall } ?? false
  }

  // MARK: Falls

  private mutating func lowerForDelay(now: MonotonicInstant) {
    guard falls.lastForDelay.map({ now - $0 > Self.episode }) ?? true else { return }
    let rate = offered.rate(now: now)
    guard rate > Self.offeredForGrowth * level || level.isInfinite else { return }
    falls.lastForDelay = now
    lower(to: Self.decrease * min(rate, level), now: now)
    beginDrain(now: now)
  }

  private mutating func lower(to estimate: Double, now: MonotonicInstant) {
    let since = falls.last.map { now - $0 }
    if since.map({ $0 >= Self.episode }) ?? true { beginFall(since, to: estimate, now: now) }
    level = min(level, estimate)
    falls.last = now
    drainIfOverdue(now: now)
    knee = (estimate / Self.decrease, now)
    (probedAt, isProbeDue) = (nil, false)
    let isConfirmed = path.isLong || since.map { Self.report..<Self.episode ~= $0 } ?? false
    if isConfirmed, estimate < Self.deepFall * offeredBefore { beginDrain(now: now) }
  }

  private mutating func beginFall(_ since: TimeSpan?, to estimate: Double, now: MonotonicInstant) {
    let isRepeated = since.map { $0 < falls.rest + falls.rest + .seconds(2) } ?? false
    falls.rest = isRepeated ? min(falls.rest + falls.rest, Self.rests.upperBound) : Self.rests.lowerBound
    offeredBefore = min(level, offered.rate(now: now))
    guard !isRepeated else { return }
    // A shallow fall is that of a path that is nearly full: there is little to return to.
    let before = min(level, max(estimate, offered.rate(now: now)))
    recoverable = estimate < Self.deepFall * before ? before : nil
  }

  // MARK: Queues

  private mutating func beginDrain(now: MonotonicInstant) {
    guard drain == nil else { return }
    drain = Drain(span: path.span ?? .zero, at: now, part: drainingPart, ceiling: .infinity)
  }

  private mutating func drainIfOverdue(now: MonotonicInstant) {
    guard reactsToDelay, drain.map({ $0.part > Self.draining }) ?? true, path.isOverdue(now: now) else { return }
    drain = Drain(
      span: path.span ?? .zero, at: now, part: Self.draining, ceiling: Self.blindDraining * offeredBefore)
  }

  /// Requests sent before the queue was answered show how far the offered rate exceeded the path's capacity.
  private mutating func measureQueue(now: MonotonicInstant) {
    guard let current = drain else { return }
    drain?.ceiling = .infinity
    guard let (span, growth) = path.growth(before: current.began) else { return }
    drain?.noteQueue(max(current.span, span), now: now)
    guard current.ceiling.isFinite || current.part == Self.draining, growth > Self.leastGrowth else { return }
    level = min(level, Self.decrease * offeredBefore * max(1 / (1 + growth), Self.leastCapacity))
    knee = (level / Self.decrease, now)
  }

  private var drainingPart: Double {
    path.queue.map { $0 <= Self.shortQueue } ?? false ? Self.gentleDraining : Self.draining
  }

  /// Until round trips are as short as they were, or nothing is known of them.
  private mutating func followDrain(now: MonotonicInstant) {
    guard let current = drain else { return }
    if path.isIdle(since: falls.last, now: now), !path.isLastLong { drain = nil }
    guard drain != nil, now - current.at >= Self.drainInterval else { return }
    guard let span = path.span(since: current.at) else {
      if now - current.at >= Self.drainInterval * 2 { drain = nil }
      return
    }
    guard path.isLastLong else { return drain = nil }
    let isShrinking = span * 5 <= current.span * 4
    drain?.noteQueue(span, now: now)
    let part = drainingPart
    drain?.part = part
    drain?.stubborn = isShrinking ? 0 : current.stubborn + 1
    if !isShrinking { followStubborn(current.stubborn + 1, now: now) }
  }

  /// A queue that does not shrink, although little is sent, is fed by others, or is a longer path.
  private mutating func followStubborn(_ count: Int, now: MonotonicInstant) {
    guard count < Self.stubbornness else {
      (drain, knee, level) = (nil, nil, max(level, Self.decrease * offeredBefore))
      return path.forget()
    }
    level /= 2
    knee = (level / Self.decrease, now)
  }

  // MARK: Growth

  private func mayTakeMore(now: MonotonicInstant) -> Bool {
    drain == nil && falls.last.map { now - $0 >= falls.rest } ?? true && path.isIdle(since: falls.last, now: now)
  }

  private mutating func grow(now: MonotonicInstant) {
    let elapsed = min(grownAt.map { now - $0 } ?? .zero, .seconds(1)).seconds
    grownAt = now
    guard level.isFinite, mayTakeMore(now: now), !isWish(now: now) else { return }
    if recover(elapsed, now: now) { return }
    guard offered.rate(now: now) >= Self.offeredForGrowth * level else { return }
    // The exponential's chord: within a second the difference is small.
    let factor = growthFactor(now: now)
    let grown = level * (1 + (factor - 1) * elapsed)
    level = factor == Self.quickGrowth ? min(grown, max(level, 0.9 * (knee?.rate ?? grown))) : grown
  }

  private func growthFactor(now: MonotonicInstant) -> Double {
    guard let knee, now - knee.at < Self.kneeMemory else { return Self.growth }
    if level < Self.nearKnee.lowerBound * knee.rate { return Self.quickGrowth }
    return level < Self.nearKnee.upperBound * knee.rate ? Self.carefulGrowth : Self.growth
  }

  /// Returns to the rate before a fall that was not the path's.
  private mutating func recover(_ elapsed: Double, now: MonotonicInstant) -> Bool {
    guard hasRisenAgain, let target = recoverable, level < target, let lastFall = falls.last,
      now - lastFall < Self.recoverySpan,
      path.wasIdle(now: now)
    else { return false }
    level = min(target, level * (1 + (Self.recovery - 1) * elapsed))
    if level >= target { (recoverable, knee) = (nil, nil) }
    return true
  }

  // MARK: Padding

  /// The rate at which to send for a while, so that growth rests on offered traffic; nil where there is no reason to.
  mutating func takeProbe(limit upper: Double, now: MonotonicInstant) -> Double? {
    guard hasProbe(limit: upper) else { return nil }
    isProbeDue = false
    probedAt = now
    return min(Self.padding * level, upper)
  }

  /// Whether ``takeProbe(limit:now:)`` has one, regardless of the time.
  func hasProbe(limit upper: Double) -> Bool { isProbeDue && level < Self.nearlyAll * upper }
}
