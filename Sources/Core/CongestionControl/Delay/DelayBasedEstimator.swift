import MediaCore

/// Estimates a path's rate from how the delay of its packets changes (draft-ietf-rmcat-gcc-02 §5).
///
/// The gradient alone takes jitter and hold-ups for queues; what it says counts when the fastest packets say the same
/// (``QueuingDelayFilter``). It serves both ends: a sender feeds it with transport-wide feedback, a receiver with
/// times of sending that packets carry. Nothing allocates.
struct DelayBasedEstimator {
  private static var quiet: TimeSpan { .milliseconds(20) }
  private static var smallStep: Double { 1.3 }

  private var groups = ArrivalGroups()
  private var trend = TrendlineEstimator()
  private var detector = OveruseDetector()
  private var queuingDelay = QueuingDelayFilter()
  private var queue = StandingQueue()
  private var throughput = Throughput()
  private(set) var controller: RateController

  init(start: Bitrate, limits: ClosedRange<Bitrate>) {
    controller = RateController(start: start, limits: limits)
  }

  var rate: Double { controller.rate }

  var isOverusing: Bool { detector.usage == .overuse && queuingDelay.isGrowing }

  /// Takes a packet that arrived; both times count from origins of their own.
  mutating func add(sent: TimeSpan, arrived: TimeSpan, byteCount: Int) {
    throughput.add(byteCount, at: arrived)
    queuingDelay.add(sent: sent, arrived: arrived, byteCount: byteCount, drainingAt: drainRate)
    guard let delta = groups.add(sent: sent, arrived: arrived) else { return }
    detector.update(trend: trend.add(delta), groupCount: trend.groupCount, delta: delta)
  }

  /// The minimum rate at which a queue of this stream drains, in bits a second.
  private var drainRate: Double { throughput.best.map { max($0, controller.capacity.rate ?? 0) } ?? .infinity }

  /// Counts a packet of which it is not known when it arrived, as one that arrived at `time`.
  mutating func addUnreported(byteCount: Int, at time: TimeSpan) { throughput.add(byteCount, at: time) }

  /// Draws the conclusion from the packets so far.
  mutating func update(roundTrip: TimeSpan, now: MonotonicInstant) {
    if isOverusing, let recent = throughput.recent { controller.noteBusy(recent) }
    if queuingDelay.isLong { throughput.forgetBest() }
    let verdict = queue.evaluate(queuingDelay, lastDecrease: controller.lastDecrease, now: now)
    if verdict == .excessive, !isOverusing { return drain(roundTrip: roundTrip, now: now) }
    if verdict == .longerPath { acceptPresent() }
    if !queuingDelay.isStanding, !queuingDelay.isLong { controller.noteEmpty(isPathLonger: false) }
    let path = PathObservation(
      usage: usage, isCertain: queuingDelay.isLong, isNoisy: isNoisy, throughput: received, roundTrip: roundTrip)
    controller.update(path, drainFactor: drainFactor, now: now)
  }

  private var drainFactor: Double { StandingQueue.drainFactor(queuingDelay.delay) }

  private mutating func drain(roundTrip: TimeSpan, now: MonotonicInstant) {
    let delay = queuingDelay.delay
    // The next check makes sense when the queue has had time to drain.
    guard
      controller.drain(
        drainFactor, isCertain: queuingDelay.isLong, throughput: drained, timeout: roundTrip + delay, now: now),
      queue.noteAnswer(delay: delay)
    else { return }
    acceptPresent()
  }

  private mutating func acceptPresent() {
    queuingDelay.acceptPresent()
    controller.noteEmpty(isPathLonger: true)
  }

  /// While there is a queue for certain, the path is busy, and what gets through just now is what it takes; a key frame does
  /// not make it less. Where that is uncertain, what noise held up lately does not count as less.
  private var received: Double? { queuingDelay.isLong ? throughput.recent : throughput.best }

  /// From how fast a queue drains: a busy path shows its own capacity, however much less is already sent.
  private var drained: Double? { queuingDelay.isLong ? received : received.map { min($0, rate) } }

  /// Whether packets seem to wait on the path.
  var hasQueue: Bool { queuingDelay.isNoticeable }

  /// What the gradient says, unless the fastest packets know of no queue: then it waits for better knowledge.
  private var usage: PathUsage {
    if isOverusing { return .overuse }
    // Nothing is gained by sending more while packets wait.
    if queuingDelay.isStanding { return .underuse }
    return detector.usage == .overuse ? .underuse : detector.usage
  }

  private var isNoisy: Bool { queuingDelay.allowance > Self.quiet }

  /// Takes what a probe has shown; where the delay swings, a short probe shows little.
  mutating func raise(to probed: Double) {
    controller.raise(to: isNoisy ? min(probed, Self.smallStep * rate) : probed)
  }

  /// See ``RateController/lower(to:from:now:)``.
  mutating func lower(to rate: Double, from previous: Double, now: MonotonicInstant) {
    controller.lower(to: rate, from: previous, now: now)
  }
}
