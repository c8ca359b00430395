import CongestionControl
import MediaCore
import RTP

/// Sends one VP8 stream: packets, the queue in which they wait for their time, and the wait for a key frame; what gets lost
/// is sent again by its ``RetransmissionSender``.
///
/// Packets wait as frames of the history, which other streams share, so that queueing copies nothing.
struct VideoSender: ~Copyable {
  /// Longer queues would let packets out of the history before they have left.
  private static var longestQueue: Int { 384 }
  private static var mostWaitingFrames: Int { PacketHistory.frameLimit - 8 }
  /// The minimum between the capture times of two frames, which different encoders may not keep.
  private static var leastInterval: TimeSpan { .milliseconds(1) }
  /// The queue length, as a duration, beyond which disposable frames are dropped; other frames when it is longer still.
  private static var toleratedDelay: TimeSpan { .milliseconds(250) }
  private static var longestDelay: TimeSpan { .milliseconds(600) }

  private var packetizer: VP8Packetizer
  private var history = PacketHistory()
  private var repair: RetransmissionSender
  private var extensions: OutgoingExtensions
  private let clock: RTPClock
  private var selection = LayerSelection()
  private(set) var statistics: SendStatistics
  /// Frames before the next key frame would not decode: nothing was sent yet, or a reference frame was lost.
  private(set) var needsKeyFrame = true
  private var nextFrameNumber: UInt32?
  /// The first packet that waits; none does when it is the packetizer's next.
  private var firstWaiting: SequenceNumber
  private var waitingByteCount = 0
  /// A packet that the one after it has overtaken, and that leaves next.
  private var overtaken: SequenceNumber?
  private var lastFrame: (timestamp: UInt32, captured: MonotonicInstant)?
  /// The peer does not receive for now.
  private var isStopped = false

  var ssrc: SSRC { packetizer.ssrc }

  init(packetizer: VP8Packetizer, rtx: RTXEncapsulation?, extensions: OutgoingExtensions, clock: RTPClock) {
    self.packetizer = packetizer
    repair = RetransmissionSender(rtx: rtx)
    self.extensions = extensions
    self.clock = clock
    firstWaiting = packetizer.nextSequenceNumber
    statistics = SendStatistics(ssrc: packetizer.ssrc, clockRate: Int(clock.rate))
  }

  mutating func makeSenderInfo(now: MonotonicInstant) -> SenderInfo? {
    statistics.makeSenderInfo(ntp: RTPClock.ntp(at: now), now: now)
  }

  /// Takes a report on the stream; returns the round trip that it shows, if any.
  mutating func receive(_ block: ReportBlock, now: MonotonicInstant) -> TimeSpan? {
    if block.ssrc == ssrc { repair.note(fractionLost: block.fractionLost, now: now) }
    return statistics.receive(block, now: now)
  }
}

// MARK: - Renegotiation

extension VideoSender {
  /// Sends nothing more until ``resume(extensions:)``, not even queued packets.
  mutating func stop() {
    isStopped = true
    firstWaiting = packetizer.nextSequenceNumber
    waitingByteCount = 0
    overtaken = nil
    repair.stop()
    // The packets kept have the extensions of before.
    history.removeAll()
    // Padding would go out with its timestamp.
    lastFrame = nil
  }

  /// Resumes after ``stop()`` with a key frame; false when nothing was stopped.
  mutating func resume(extensions: RTPHeaderExtensionBlock) -> Bool {
    guard isStopped else { return false }
    isStopped = false
    needsKeyFrame = true
    self.extensions.block = extensions
    return true
  }
}

// MARK: - Frames

extension VideoSender {
  /// Frames come from another encoder from now on: the stream continues with its next key frame, under the same
  /// numbers.
  mutating func changeSource() {
    needsKeyFrame = true
    nextFrameNumber = nil
  }

  /// Sends this many temporal layers from now on; 0 for a still frame.
  mutating func setLayers(_ count: Int) { selection.set(count) }

  var isStill: Bool { selection.isStill }

  /// Whether to request a key frame from the encoder: not before the queue is short enough.
  func wantsKeyFrame(pacedBy budget: PacingBudget, now: MonotonicInstant) -> Bool {
    guard needsKeyFrame, budget.delay(of: waitingByteCount) <= Self.toleratedDelay else { return false }
    return !selection.isStill || selection.wantsStill(now: now)
  }

  /// Puts a frame into the queue, unless it is not for this viewer or depends on one that was not sent.
  ///
  /// Returns whether the stream can continue with the next frame; otherwise it needs a key frame.
  mutating func enqueue(
    _ frame: EncodedFrameHeader, payload: FramePayload, through output: PacketOutput, now: MonotonicInstant
  ) -> Bool {
    if let expected = nextFrameNumber, frame.number != expected { needsKeyFrame = true }
    nextFrameNumber = frame.number &+ 1
    let isLayerSync = selection.isLayerSync(frame)
    guard output.isOpen else {
      needsKeyFrame = true
      return false
    }
    guard !needsKeyFrame || frame.isKeyFrame else { return false }
    let wait = output.sendController.budget.delay(of: waitingByteCount)
    guard selection.admits(frame, now: now), hasRoom(for: payload), wait <= Self.toleratedDelay(for: frame) else {
      // What no other frame refers to is not missed.
      if frame.temporalLayer == 0 { needsKeyFrame = true }
      return !needsKeyFrame
    }
    needsKeyFrame = false
    enqueue(frame, payload, isLayerSync: isLayerSync)
    return true
  }

  private static func toleratedDelay(for frame: EncodedFrameHeader) -> TimeSpan {
    frame.isDiscardable || frame.temporalLayer > 0 ? toleratedDelay : longestDelay
  }

  private func hasRoom(for payload: FramePayload) -> Bool {
    waitingCount + payload.byteCount / 1_000 < Self.longestQueue
      && history.frameCount(from: firstUnsent) < Self.mostWaitingFrames
  }

  private mutating func enqueue(_ frame: EncodedFrameHeader, _ payload: FramePayload, isLayerSync: Bool) {
    // A frame of another camera may have been captured before the last one that was sent.
    let captured = lastFrame.map { max(frame.timestamp, $0.captured + Self.leastInterval) } ?? frame.timestamp
    let timestamp = clock.timestamp(at: captured)
    lastFrame = (timestamp, captured)
    let packets = packetizer.packetize(
      VP8Packetizer.Frame(
        timestamp: timestamp, temporalLayer: frame.temporalLayer, isLayerSync: isLayerSync,
        isDiscardable: frame.isDiscardable), byteCount: payload.byteCount)
    history.append(packets, of: payload, firstWaiting: firstUnsent)
    waitingByteCount += packets.payloadByteCount + packets.count * headerByteCount
  }
}

// MARK: - Packets

extension VideoSender {
  /// The overtaken one not among them.
  private var waitingCount: Int { firstWaiting.distance(to: packetizer.nextSequenceNumber) }

  private var firstUnsent: SequenceNumber { overtaken ?? firstWaiting }

  /// Octets before the payload of each packet.
  private var headerByteCount: Int { RTPHeader.byteCount(with: extensions.block) }

  /// Whether anything waits to be sent.
  var hasWaiting: Bool { waitingCount > 0 || overtaken != nil || repair.hasWaiting }

  /// Octets of the frames that wait.
  var waitingOctets: Int { waitingByteCount }

  /// Whether probes can be made of padding.
  var canPad: Bool { repair.usesRTX && lastFrame != nil }

  /// Sends the next packet, retransmissions first; returns its length, or nil when none is queued.
  mutating func sendNext(probe: UInt16, now: MonotonicInstant, through output: PacketOutput) -> Int? {
    repair.sendNext(from: &history, &extensions, now: now, through: output)
      ?? sendWaiting(probe: probe, now: now, through: output)
  }

  private mutating func sendWaiting(probe: UInt16, now: MonotonicInstant, through output: PacketOutput) -> Int? {
    guard let number = takeWaiting(over: output.sendController.rate, now: now) else { return nil }
    waitingByteCount -= history.payloadByteCount(of: number).map { $0 + headerByteCount } ?? 0
    if waitingCount == 0, overtaken == nil { waitingByteCount = 0 }
    let transportNumber = extensions.stamp(for: output, now: now)
    let length = output.sendRTP(isNumbered: extensions.isNumbering, probe: probe, now: now) {
      (buffer) throws(InsufficientSpace) in
      try history.write(number, extensions: extensions.block, into: &buffer)
    }
    guard let length, let lastFrame else { return 0 }
    statistics.send(
      timestamp: lastFrame.timestamp, captured: lastFrame.captured,
      payloadByteCount: length - headerByteCount)
    repair.noteDeparture(of: number, under: transportNumber)
    return length
  }

  private mutating func takeWaiting(
    over path: borrowing SendRateEstimator, now: MonotonicInstant
  ) -> SequenceNumber? {
    if let number = overtaken {
      overtaken = nil
      history.holdBack(number, from: now + NackElicitation.reactionTime)
      return number
    }
    guard waitingCount > 0 else { return nil }
    let number = firstWaiting
    firstWaiting = number.advanced(by: 1)
    guard waitingCount > 0, repair.mayProvoke(over: path, now: now), isSameFrame(number, firstWaiting) else {
      return number
    }
    repair.noteProvocation(now: now)
    overtaken = number
    defer { firstWaiting = firstWaiting.advanced(by: 1) }
    return firstWaiting
  }

  private func isSameFrame(_ number: SequenceNumber, _ next: SequenceNumber) -> Bool {
    history.timestamp(of: number).map { $0 == history.timestamp(of: next) } ?? false
  }

  /// Sends a packet of padding; returns its length, or nil where that is not possible.
  mutating func sendPadding(probe: UInt16, now: MonotonicInstant, through output: PacketOutput) -> Int? {
    guard let lastFrame else { return nil }
    return repair.sendPadding(
      timestamp: lastFrame.timestamp, probe: probe, &extensions, now: now, through: output)
  }
}

// MARK: - Retransmission

extension VideoSender {
  /// Queues the packets that a NACK names; those that do not fit are requested again.
  mutating func queueResends(of entry: NackEntry, minimumInterval: TimeSpan) {
    guard !isStopped else { return }
    for offset in 0...16 {
      guard let number = entry.number(at: offset) else { continue }
      // Unsent packets are not lost.
      guard !isWaiting(number), history.payloadByteCount(of: number) != nil else { continue }
      repair.request(number, isResent: history.isResent(number), minimumInterval: minimumInterval)
    }
  }

  /// Puts the packet in the queue that feedback reports as lost.
  ///
  /// - Parameter transportNumber: under which it left, extended.
  mutating func queueResend(ofLost transportNumber: Int64, minimumInterval: TimeSpan) {
    guard !isStopped else { return }
    repair.repair(lost: transportNumber, from: history, minimumInterval: minimumInterval)
  }

  private func isWaiting(_ number: SequenceNumber) -> Bool {
    number == overtaken || waitingCount > 0 && (0..<waitingCount).contains(firstWaiting.distance(to: number))
  }

  /// Lets packets be sent again as the path's rate allows.
  mutating func allowResends(at rate: Bitrate, now: MonotonicInstant) { repair.earn(at: rate, now: now) }

  /// What the packets that are sent again take of the path.
  var resendRate: Bitrate { repair.bitrate }

  /// How many packets were sent again.
  var resentCount: UInt64 { repair.resentCount }
}
