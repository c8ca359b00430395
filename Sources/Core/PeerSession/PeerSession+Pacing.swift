import CongestionControl
import MediaCore
import RTP

/// A probe that is being sent.
struct RunningProbe {
  let probe: Probe
  private var octetsLeft: Int
  private var packetsLeft: Int

  init(_ probe: Probe) {
    self.probe = probe
    octetsLeft = probe.byteCount
    packetsLeft = probe.packetCount
  }

  var isComplete: Bool { octetsLeft <= 0 && packetsLeft <= 0 }

  /// Whether nothing of it has left yet.
  var isFresh: Bool { packetsLeft == probe.packetCount }

  mutating func note(_ byteCount: Int) {
    octetsLeft -= byteCount
    packetsLeft -= 1
  }
}

/// Decides when a change of the estimate is worth an event.
struct EstimateReporting {
  private static var interval: TimeSpan { .milliseconds(100) }
  private static var reminder: TimeSpan { .seconds(1) }

  private var last: (bitrate: Bitrate, at: MonotonicInstant)?

  /// Falls are told from 3 % on, rises from 3 % on and not more often than each 100 ms; what stays is told each second,
  /// since the owner weighs how long a path has taken a rate.
  mutating func isWorthTelling(_ bitrate: Bitrate, now: MonotonicInstant) -> Bool {
    if let last {
      let change = Double(bitrate.bitsPerSecond) / Double(max(1, last.bitrate.bitsPerSecond))
      let isRise = change >= 1.03 && now - last.at >= Self.interval
      guard change <= 0.97 || isRise || now - last.at >= Self.reminder else { return false }
    }
    last = (bitrate, now)
    return true
  }
}

extension PeerSession {
  /// A still picture must not delay the sound that shares the path with it.
  private static var stillPercent: Int { 75 }
  /// What the media of a peer without RTX has to bring for a probe.
  private static var mediaProbeOctets: Int { 5_000 }
  /// Longer feedback tells of more packets than are remembered.
  private static var longestFeedback: Int { 2_048 }

  var sendsMedia: Bool { negotiated.sendsAudio || negotiated.sendsVideo }

  private func pacingRate(_ plan: SendPlan) -> Bitrate {
    if let probe { return probe.probe.rate }
    guard videoSender?.isStill == true else { return plan.pacingRate }
    return Bitrate(bitsPerSecond: plan.estimate.bitsPerSecond / 100 * Self.stillPercent)
  }

  /// When the next packet may leave or a probe is due.
  var pacingDeadline: MonotonicInstant {
    guard phase == .connected else { return .distantFuture }
    let canPad = videoSender?.canPad == true
    if videoSender?.hasWaiting == true || probe != nil && canPad { return output.sendController.budget.reopening }
    return canPad && probe == nil ? output.sendController.rate.probeDeadline : .distantFuture
  }

  /// Sends what may leave now: packets asked for again, then those that wait, then what fills a probe.
  func pace(now: MonotonicInstant) {
    guard phase == .connected, videoSender != nil else { return }
    let plan = output.sendController.rate.plan
    // What a router has dropped is not worth a longer queue there.
    let repair = plan.isQueueing ? plan.estimate.bitsPerSecond / 4 : plan.estimate.bitsPerSecond
    videoSender?.allowResends(at: Bitrate(bitsPerSecond: repair), now: now)
    if probe == nil, plan.probeDeadline <= now { startProbe(now: now) }
    output.sendController.budget.update(rate: pacingRate(plan), isEven: plan.isEven && probe == nil, now: now)
    while output.sendController.budget.isOpen {
      guard let length = sendNext(now: now) else { return giveUpProbe() }
      finishProbe(after: length, plan, now: now)
    }
  }

  /// A probe that could be filled but was not, because packets are refused protection, must not be tried for ever.
  private func giveUpProbe() {
    if probe != nil, videoSender?.canPad == true { probe = nil }
  }

  private func sendNext(now: MonotonicInstant) -> Int? {
    let id = probe?.probe.id ?? 0
    // When the first packet of a probe arrives, the measuring begins: a small one leaves more to be measured.
    if probe?.isFresh == true, let length = sendPadding(of: id, now: now) { return length }
    if let length = videoSender?.sendNext(probe: id, now: now, through: output) ?? nil { return length }
    guard probe != nil else { return nil }
    return sendPadding(of: id, now: now)
  }

  private func sendPadding(of probe: UInt16, now: MonotonicInstant) -> Int? {
    videoSender?.sendPadding(probe: probe, now: now, through: output) ?? nil
  }

  private func startProbe(now: MonotonicInstant) {
    guard videoSender?.canPad == true || videoSender?.waitingOctets ?? 0 >= Self.mediaProbeOctets else { return }
    guard let next = output.sendController.rate.takeProbe(now: now) else { return }
    output.sendController.budget.update(rate: next.rate, now: now)
    output.sendController.budget.drain()
    probe = RunningProbe(next)
  }

  private func finishProbe(after length: Int, _ plan: SendPlan, now: MonotonicInstant) {
    guard var running = probe else { return }
    running.note(length)
    // Media alone cannot go on with a probe when it has run out.
    let isOver = running.isComplete || videoSender?.canPad == false && videoSender?.hasWaiting == false
    probe = isOver ? nil : running
    if isOver { output.sendController.budget.update(rate: pacingRate(plan), isEven: plan.isEven, now: now) }
  }

  // MARK: Estimate

  func handle(_ feedback: TransportFeedback, in compound: RawSpan, now: MonotonicInstant) {
    output.sendController.rate.beginFeedback()
    var cursor = TransportFeedbackCursor(feedback)
    let next = SequenceNumber(extended: output.sendController.nextTransportNumber)
    var left = Self.longestFeedback
    while left > 0, let arrival = cursor.next(in: compound) {
      left -= 1
      let number = output.sendController.nextTransportNumber + Int64(next.distance(to: arrival.sequenceNumber))
      output.sendController.rate.report(number: number, arrival: arrival.time, now: now)
    }
    output.sendController.rate.endFeedback(now: now)
  }

  /// What is left of the estimate when what gets lost is sent again, but at least half.
  private var mediaEstimate: Bitrate {
    let whole = output.sendController.rate.estimate.bitsPerSecond
    let resent = videoSender?.resendRate.bitsPerSecond ?? 0
    return Bitrate(bitsPerSecond: max(whole - resent, whole / 2))
  }

  /// Tells the owner what may be sent and how much sound gets lost, when that has changed.
  func reportEstimate(now: MonotonicInstant) {
    guard phase == .connected, sendsMedia else { return }
    let estimate = mediaEstimate
    if reporting.isWorthTelling(estimate, now: now) { events.append(.bitrateEstimated(estimate)) }
    if let percent = audioSender?.takeLossChange() { events.append(.soundLossReported(percent: percent)) }
  }
}
