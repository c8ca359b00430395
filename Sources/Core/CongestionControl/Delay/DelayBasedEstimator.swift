import MediaCore

/// Estimates a path's rate from how the delay of its packets changes (draft-ietf-rmcat-gcc-02 §5).
///
/// The gradient alone takes jitter and hold-ups for queues; what it says counts when the fastest packets say the same
/// (``QueueGauge``). It serves both ends: a sender feeds it with what transport-wide feedback tells, a receiver with
/// times of sending that packets carry. Nothing allocates.
struct DelayBasedEstimator {
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

  /// In bits a second.
  var receivedRate: Double? { throughput.bitsPerSecond }

  var isOverusing: Bool { detector.usage == .overuse && gauge.isGrowing }

  /// Takes a packet that arrived; both times count from origins of their own.
  mutating func add(sent: TimeSpan, arrived: TimeSpan, byteCount: Int) {
    throughput.add(byteCount, at: arrived)
    gauge.add(sent: sent, arrived: arrived)
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
        usage, isCertain: gauge.isLong, throughput: throughput.bitsPerSecond, roundTrip: roundTrip, now: now)
      return
    }
    // The next look makes sense when the queue has had time to drain.
    let factor = StandingQueue.drainFactor(delay)
    guard
      controller.drain(factor, throughput: throughput.bitsPerSecond, patience: roundTrip + delay, now: now),
      queue.noteAnswer(delay: delay)
    else { return }
    gauge.acceptPresent()
    controller.noteEmpty(isPathLonger: true)
  }

  /// What the gradient says, unless the fastest packets know of no queue: then it waits for better knowledge.
  private var usage: PathUsage {
    if isOverusing { return .overuse }
    return detector.usage == .overuse ? .underuse : detector.usage
  }

  mutating func raise(to probed: Double) { controller.raise(to: probed) }

  mutating func lower(to rate: Double) { controller.lower(to: rate) }
}
