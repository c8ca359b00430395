import MediaCore

/// Estimates a path's rate from how the delay of its packets changes (draft-ietf-rmcat-gcc-02 §5).
///
/// The gradient alone takes jitter and hold-ups for queues; what it says counts when the fastest packets say the same
/// (``QueueGauge``). It serves both ends: a sender feeds it with what transport-wide feedback tells, a receiver with
/// times of sending that packets carry. Nothing allocates.
struct DelayBasedEstimator {
  private static var quiet: TimeSpan { .milliseconds(20) }
  private static var smallStep: Double { 1.3 }

  private var groups = ArrivalGroups()
  private var trend = DelayTrend()
  private var detector = OveruseDetector()
  private var gauge = QueueGauge()
  private var queue = StandingQueue()
  private var throughput = Throughput()
  private(set) var controller: RateController

  init(start: Bitrate, limits: ClosedRange<Bitrate>) {
    controller = RateController(start: start, limits: limits)
  }

  var rate: Double { controller.rate }

  var isOverusing: Bool { detector.usage == .overuse && gauge.isGrowing }

  /// Takes a packet that arrived; both times count from origins of their own.
  mutating func add(sent: TimeSpan, arrived: TimeSpan, byteCount: Int) {
    throughput.add(byteCount, at: arrived)
    gauge.add(sent: sent, arrived: arrived, byteCount: byteCount, throughput: throughput.best ?? .infinity)
    guard let delta = groups.add(sent: sent, arrived: arrived) else { return }
    detector.update(trend: trend.add(delta), groupCount: trend.groupCount, delta: delta)
  }

  /// Counts a packet of which it is not known when it arrived, as one that arrived at `time`.
  mutating func addUnreported(byteCount: Int, at time: TimeSpan) { throughput.add(byteCount, at: time) }

  /// Draws the conclusion from the packets so far.
  mutating func update(roundTrip: TimeSpan, now: MonotonicInstant) {
    let delay = queue.excess(gauge)
    guard delay > .zero, !isOverusing else {
      if delay == .zero { controller.noteEmpty(isPathLonger: false) }
      controller.update(
        usage, isCertain: gauge.isLong, throughput: received, roundTrip: roundTrip, now: now)
      return
    }
    // The next look makes sense when the queue has had time to drain.
    let factor = StandingQueue.drainFactor(delay)
    guard
      controller.drain(
        factor, isCertain: gauge.isLong, throughput: received.map { min($0, rate) }, patience: roundTrip + delay,
        now: now),
      queue.noteAnswer(delay: delay)
    else { return }
    gauge.acceptPresent()
    controller.noteEmpty(isPathLonger: true)
  }

  /// While there is a queue for certain, the path is busy, and what gets through just now is what it takes; a key frame does
  /// not make it less. Where that is uncertain, what noise held up lately does not count as less.
  private var received: Double? { gauge.isLong ? throughput.recent : throughput.best }

  /// What the gradient says, unless the fastest packets know of no queue: then it waits for better knowledge.
  private var usage: PathUsage {
    if isOverusing { return .overuse }
    return detector.usage == .overuse ? .underuse : detector.usage
  }

  /// Takes what a probe has shown; where the delay swings, a short probe shows little.
  mutating func raise(to probed: Double) {
    let isNoisy = gauge.allowance > Self.quiet
    controller.raise(to: isNoisy ? min(probed, Self.smallStep * rate) : probed)
  }

  mutating func lower(to rate: Double) { controller.lower(to: rate) }
}
