public import MediaCore

/// How a peer reports what it receives.
public enum RateFeedback: Sendable, Hashable {
  /// Transport-wide feedback: when each packet arrived.
  case transportWide
  /// REMB: the peer's own estimate.
  case receiverEstimate
  /// Only receiver reports: the losses.
  case reports
}

/// How a session should send for now.
public struct SendPlan: Sendable, Hashable {
  /// The permitted rate of all streams and their repair together.
  public let estimate: Bitrate
  /// How fast packets may follow one another.
  public let pacingRate: Bitrate
  /// Packets had better leave one by one, since it is known what the path takes.
  public let isEven: Bool
  /// Packets seem to wait on the path: non-urgent ones had better wait here.
  public let isQueueing: Bool
  /// When a probe is due.
  public let probeDeadline: MonotonicInstant
}

/// What a session may send, all streams together: the lower of what delay and losses allow
/// (draft-ietf-rmcat-gcc-02), or what the peer says where it gives no transport-wide feedback.
///
/// Report each packet that leaves, each packet that feedback names between ``beginFeedback()`` and
/// ``endFeedback(now:)``, and send the probes that ``takeProbe(now:)`` asks for. Nothing allocates after `init`. There is
/// one of a path.
public struct SendRateEstimator: ~Copyable, Sendable {
  /// A peer that is silent for this long, although packets leave, is sent less.
  private static var silence: TimeSpan { .seconds(1) }

  /// While checks measure the path, receiver reports do not.
  private static var pathRoundTripLifetime: TimeSpan { .seconds(2) }

  private static var pacing: Double { 2.5 }
  private static var carefulPacing: Double { 1.1 }

  /// The multiple of a rate sent without losses or queue that the loss limit allows.
  private static var provenShare: Double { 1.5 }

  /// Losses within this time after a decrease belong to its cause.
  private static var lossDelay: TimeSpan { .milliseconds(1_500) }

  /// What the estimate rests on; agreed once for the session.
  public let feedback: RateFeedback
  /// The maximum useful rate; the estimate never exceeds it.
  public let limits: ClosedRange<Bitrate>

  private var packets = SentPacketHistory()
  private var delay: DelayBasedEstimator
  private var loss: LossBasedLimit
  private var probing = ProbeController()
  private var receiver: ReceiverEstimate
  private var roundTrip = TimeSpan.milliseconds(100)
  /// The highest number that feedback has named.
  private var highestReported: Int64?
  private var lastFeedback: MonotonicInstant?
  /// The octets sent when feedback last came, and when its absence was last answered.
  private var rateAtReport: Double
  private var lastSilence: MonotonicInstant?
  private var hasArrivals = false
  private var lastPathRoundTrip: MonotonicInstant?

  /// - Parameters:
  ///   - start: the initial rate.
  ///   - limits: 30 kbit/s is a sensible lowest; the highest is what the streams can need.
  public init(feedback: RateFeedback, start: Bitrate, limits: ClosedRange<Bitrate>) {
    self.feedback = feedback
    self.limits = limits
    delay = DelayBasedEstimator(start: min(max(start, limits.lowerBound), limits.upperBound), limits: limits)
    loss = LossBasedLimit(limits: limits)
    receiver = ReceiverEstimate(reactsToDelay: feedback != .transportWide)
    rateAtReport = delay.rate
  }

  /// The currently permitted rate.
  public var estimate: Bitrate { Bitrate(rate) }

  private var rate: Double {
    let allowed = min(feedback == .transportWide ? delay.rate : loss.rate, loss.rate, receiver.limit)
    return max(allowed, Double(limits.lowerBound.bitsPerSecond))
  }

  /// How fast packets may follow one another: faster than the estimate, so that a key frame is spread but not late.
  ///
  /// What leaves faster than the path's capacity only waits elsewhere, where nothing can be left out any more; while a queue
  /// stands there, nothing leaves faster than the estimate.
  private func pacingRate(_ capacity: Double?) -> Bitrate {
    let free = Self.pacing * rate
    guard let capacity else { return Bitrate(free) }
    let careful = delay.hasQueue ? rate : Self.carefulPacing * max(rate, capacity)
    return Bitrate(min(free, careful))
  }

  /// What the path takes, in bits a second, where that is known.
  private func capacity(now: MonotonicInstant) -> Double? {
    feedback == .transportWide ? delay.controller.capacity.rate : receiver.capacity(now: now)
  }

  /// Whether the last reported round trip suggests a queue on the path.
  public var seesLongRoundTrip: Bool { receiver.seesLongRoundTrip }

  /// Whether the peer's own estimate or round trips allow less than ``limits``.
  public var isLimited: Bool { receiver.isLimited(below: highest) }

  /// Takes a round trip over the path itself, measured by a connectivity check.
  public mutating func notePathRoundTrip(_ sample: TimeSpan, now: MonotonicInstant) {
    lastPathRoundTrip = now
    receiver.noteRoundTrip(sample, now: now)
  }

  /// Takes for how long a connectivity check has waited for its answer: the round trip is as long, unless the check is lost.
  public mutating func notePendingRoundTrip(_ span: TimeSpan, now: MonotonicInstant) {
    receiver.notePendingRoundTrip(span, now: now)
  }

  /// Takes the round trip as it seems to be, and its latest measurement.
  public mutating func noteRoundTrip(_ roundTrip: TimeSpan, sample: TimeSpan, now: MonotonicInstant) {
    self.roundTrip = roundTrip
    // A receiver report shows the way here at its arrival, and the way there when the last sender report went.
    guard lastPathRoundTrip.map({ now - $0 > Self.pathRoundTripLifetime }) ?? true else { return }
    receiver.noteRoundTrip(sample, now: now)
  }
}

// MARK: - Transport-wide feedback

extension SendRateEstimator {
  /// Notes that a packet leaves.
  ///
  /// - Parameters:
  ///   - number: the transport-wide number, extended; each is one more than the last.
  ///   - probe: the id of the ``Probe`` that the packet is part of, or 0.
  public mutating func send(number: Int64, byteCount: Int, probe: UInt16 = 0, now: MonotonicInstant) {
    packets.add(SentPacketHistory.Packet(number: number, sent: now, byteCount: byteCount, probe: probe))
    receiver.send(byteCount, now: now)
    let last = lastFeedback ?? now
    lastFeedback = last
    guard now - last >= Self.silence else { return }
    // A path that was dark for some seconds is not slower afterwards; a crowded one is found out again at a quarter.
    delay.lower(to: max(delay.rate / 2, rateAtReport / 4), from: rateAtReport, now: now)
    probing.noteOveruse(now: now)
    lastFeedback = now
    lastSilence = now
  }

  /// Begins to take one feedback packet.
  public mutating func beginFeedback() { hasArrivals = false }

  /// Takes feedback about one packet: `arrival` on the peer's clock, nil for one that has not arrived.
  public mutating func report(number: Int64, arrival: TimeSpan?, now: MonotonicInstant) {
    guard let packet = packets[number], packet.state != .received else { return }
    guard let arrival else {
      if packet.state == .unknown {
        loss.countLost(packet.byteCount)
        packets.mark(number, .lost)
      }
      noteReported(number)
      return
    }
    if packet.state == .lost { loss.countLate() } else { loss.countReceived(packet.byteCount) }
    packets.mark(number, .received)
    countUnreported(before: number, at: arrival)
    noteReported(number)
    hasArrivals = true
    delay.add(
      sent: TimeSpan(nanoseconds: packet.sent.nanoseconds), arrived: arrival, byteCount: packet.byteCount)
    guard packet.probe != 0, let probed = probing.receive(packet, arrived: arrival, now: now) else { return }
    delay.raise(to: probed)
    loss.raise(to: probed)
  }

  private mutating func noteReported(_ number: Int64) { highestReported = max(highestReported ?? number, number) }

  /// Packets whose feedback got lost are taken to have arrived: otherwise the throughput would seem to fall.
  private mutating func countUnreported(before number: Int64, at arrival: TimeSpan) {
    guard let highestReported, number > highestReported + 1 else { return }
    for missing in max(highestReported + 1, number - SentPacketHistory.capacity)..<number {
      if let packet = packets[missing] { delay.addUnreported(byteCount: packet.byteCount, at: arrival) }
    }
  }

  /// Draws the conclusion from the feedback packet.
  public mutating func endFeedback(now: MonotonicInstant) {
    lastFeedback = now
    loss.update(
      current: rate, isExplained: isRecent(delay.controller.lastDecrease, now) || isRecent(lastSilence, now), now: now)
    guard hasArrivals else { return }
    delay.update(roundTrip: roundTrip, now: now)
    rateAtReport = delay.rate
    if delay.isOverusing { probing.noteOveruse(now: now) }
  }

  private func isRecent(_ answer: MonotonicInstant?, _ now: MonotonicInstant) -> Bool {
    answer.map { now - $0 < Self.lossDelay } ?? false
  }
}

// MARK: - Other feedback

extension SendRateEstimator {
  /// Takes the peer's own estimate (REMB).
  ///
  /// - Parameter others: what streams take that the estimate does not cover.
  public mutating func noteReceiverEstimate(
    _ bitrate: Bitrate, beside others: Bitrate = Bitrate(bitsPerSecond: 0), now: MonotonicInstant
  ) {
    let covered = Double(max(bitrate, limits.lowerBound).bitsPerSecond)
    receiver.receive(covered + Double(others.bitsPerSecond), now: now)
  }

  /// Notes that a packet without a transport-wide number leaves.
  public mutating func sendUnnumbered(byteCount: Int, now: MonotonicInstant) {
    receiver.send(byteCount, now: now)
    loss.countSent(byteCount, now: now)
  }

  /// Takes the fraction lost, in 256ths, of a receiver report; without effect where feedback reports each packet.
  public mutating func noteReportedLoss(_ fraction: UInt8, now: MonotonicInstant) {
    receiver.noteLoss(max(0, Double(fraction) / 256 - loss.inherentFraction), inherent: loss.inherentFraction)
    guard feedback != .transportWide else { return }
    // What the peer's own estimate allows for a moment is no measure of what losses allow.
    loss.report(
      Double(fraction) / 256, current: max(rate, receiver.offeredRate(now: now)),
      isExplained: receiver.explainsLosses(within: Self.lossDelay, now: now), now: now)
    loss.raise(to: Self.provenShare * receiver.provenRate(now: now))
  }
}

// MARK: - Probes

extension SendRateEstimator {
  /// The receiver's measuring interval, in seconds.
  private static var sustained: Double { 0.8 }

  private var highest: Double { Double(limits.upperBound.bitsPerSecond) }
  private var probeLimit: Double { min(highest, receiver.limit) }

  private var mayProbe: Bool { feedback == .transportWide && loss.excessFraction < 0.1 && !delay.hasQueue }

  /// When ``takeProbe(now:)`` may have a probe.
  public var probeDeadline: MonotonicInstant {
    if feedback == .receiverEstimate {
      return receiver.hasProbe(limit: highest) ? MonotonicInstant(nanoseconds: .min) : .distantFuture
    }
    return mayProbe ? probing.deadline(estimate: rate, limit: probeLimit) : .distantFuture
  }

  /// All requests of one pass.
  public func plan(now: MonotonicInstant) -> SendPlan {
    let capacity = capacity(now: now)
    return SendPlan(
      estimate: estimate, pacingRate: pacingRate(capacity), isEven: capacity != nil,
      isQueueing: feedback == .transportWide ? delay.hasQueue : receiver.hasQueue, probeDeadline: probeDeadline)
  }

  /// The probe to send now, if it is time for one.
  public mutating func takeProbe(now: MonotonicInstant) -> Probe? {
    guard feedback == .receiverEstimate else {
      return mayProbe ? probing.take(estimate: rate, limit: probeLimit, now: now) : nil
    }
    guard let rate = receiver.takeProbe(limit: highest, now: now) else { return nil }
    return Probe(
      id: 1, rate: Bitrate(bitsPerSecond: Int(rate)), byteCount: Int(rate * Self.sustained / 8), packetCount: 1)
  }
}
