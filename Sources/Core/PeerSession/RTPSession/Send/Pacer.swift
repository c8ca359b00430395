import CongestionControl
import MediaCore
import RTP

/// A probe that is being sent.
private struct RunningProbe {
  let probe: Probe
  /// What might be sent when it began.
  private let estimate: Bitrate
  private var octetsLeft: Int
  private var packetsLeft: Int

  init(_ probe: Probe, at estimate: Bitrate) {
    (self.probe, self.estimate) = (probe, estimate)
    octetsLeft = probe.byteCount
    packetsLeft = probe.packetCount
  }

  var isComplete: Bool { octetsLeft <= 0 && packetsLeft <= 0 }

  /// Whether nothing of it has left yet.
  var isFresh: Bool { packetsLeft == probe.packetCount }

  /// Whether the send rate may have fallen so far meanwhile that the path has already answered.
  func isRefuted(by estimate: Bitrate) -> Bool { estimate.bitsPerSecond < self.estimate.bitsPerSecond / 10 * 9 }

  mutating func note(_ byteCount: Int) {
    octetsLeft -= byteCount
    packetsLeft -= 1
  }
}

/// Lets video packets leave at the rate that the path takes, and schedules probes for a higher one.
struct Pacer {
  /// A still frame must not delay the sound that shares the path with it.
  private static var stillPercent: Int { 75 }
  /// What the media of a peer without RTX has to bring for a probe.
  private static var mediaProbeOctets: Int { 5_000 }

  private var probe: RunningProbe?

  /// When the next packet may leave or a probe is due.
  func deadline(of video: borrowing VideoSender, _ controller: borrowing SendController) -> MonotonicInstant {
    if video.hasWaiting || probe != nil && video.canPad { return controller.budget.reopening }
    return video.canPad && probe == nil ? controller.rate.probeDeadline : .distantFuture
  }

  /// Sends what may leave now: retransmissions, then queued packets, then padding for a probe.
  mutating func send(_ video: inout VideoSender, through output: PacketOutput, now: MonotonicInstant) {
    let plan = output.sendController.rate.plan(now: now)
    if probe?.isRefuted(by: plan.estimate) == true { probe = nil }
    // What a router has dropped is not worth a longer queue there.
    let repair = plan.isQueueing ? plan.estimate.bitsPerSecond / 4 : plan.estimate.bitsPerSecond
    video.allowResends(at: Bitrate(bitsPerSecond: repair), now: now)
    if probe == nil, plan.probeDeadline <= now { startProbe(video, output, now: now) }
    output.sendController.budget.update(
      rate: rate(plan, isStill: video.isStill), isEven: plan.isEven && probe == nil, now: now)
    while output.sendController.budget.isOpen {
      guard let length = sendNext(&video, output, now: now) else { return giveUpProbe(video) }
      finishProbe(after: length, video, plan, output, now: now)
    }
  }

  /// Nothing is sent any more that a probe could be made of.
  mutating func stop() { probe = nil }

  private func rate(_ plan: SendPlan, isStill: Bool) -> Bitrate {
    if let probe { return probe.probe.rate }
    guard isStill else { return plan.pacingRate }
    return Bitrate(bitsPerSecond: plan.estimate.bitsPerSecond / 100 * Self.stillPercent)
  }

  /// A probe that could be filled but was not, because packets are refused protection, must not be retried forever.
  private mutating func giveUpProbe(_ video: borrowing VideoSender) {
    if probe != nil, video.canPad { probe = nil }
  }

  private func sendNext(_ video: inout VideoSender, _ output: PacketOutput, now: MonotonicInstant) -> Int? {
    let id = probe?.probe.id ?? 0
    // When the first packet of a probe arrives, the measuring begins: a small one leaves more to be measured.
    if probe?.isFresh == true, let length = video.sendPadding(probe: id, now: now, through: output) { return length }
    if let length = video.sendNext(probe: id, now: now, through: output) { return length }
    guard probe != nil else { return nil }
    return video.sendPadding(probe: id, now: now, through: output)
  }

  private mutating func startProbe(_ video: borrowing VideoSender, _ output: PacketOutput, now: MonotonicInstant) {
    guard video.canPad || video.waitingOctets >= Self.mediaProbeOctets else { return }
    guard let next = output.sendController.rate.takeProbe(now: now) else { return }
    output.sendController.budget.update(rate: next.rate, now: now)
    output.sendController.budget.drain()
    probe = RunningProbe(next, at: output.sendController.rate.estimate)
  }

  private mutating func finishProbe(
    after length: Int, _ video: borrowing VideoSender, _ plan: SendPlan, _ output: PacketOutput, now: MonotonicInstant
  ) {
    guard var running = probe else { return }
    running.note(length)
    // Media alone cannot continue a probe once it has run out.
    let isOver = running.isComplete || !video.canPad && !video.hasWaiting
    probe = isOver ? nil : running
    guard isOver else { return }
    output.sendController.budget.update(rate: rate(plan, isStill: video.isStill), isEven: plan.isEven, now: now)
  }
}
