import CongestionControl
import MediaCore
import RTP

/// Retransmits lost video packets: those that a NACK names, and those that transport-wide feedback reports as
/// lost.
///
/// It decides which packets leave again and how many may, and owns the retransmission stream on which they leave. The
/// packets themselves stay in the sender's ``PacketHistory``.
struct RetransmissionSender: ~Copyable {
  private var rtx: RTXEncapsulation?
  private var budget = RetransmissionBudget()
  private var queue = RetransmissionQueue()
  private var departures = TransportSequenceNumberMap()
  private var provocation = NackElicitation()
  /// How many packets were sent again.
  private(set) var resentCount: UInt64 = 0

  /// - Parameter rtx: nil for a peer without RTX, which gets the packets themselves again.
  init(rtx: RTXEncapsulation?) { self.rtx = rtx }

  var usesRTX: Bool { rtx != nil }

  /// Whether packets wait to be sent again.
  var hasWaiting: Bool { !queue.isEmpty }

  /// What the packets that are sent again take of the path.
  var bitrate: Bitrate { budget.bitrate }

  /// Clears the queue.
  mutating func stop() { queue.removeAll() }

  /// Takes the fraction lost, in 256ths, of a receiver report.
  mutating func note(fractionLost: UInt8, now: MonotonicInstant) { provocation.note(fractionLost, now: now) }

  /// A packet left for the first time.
  ///
  /// - Parameter transportNumber: under which it left, extended; nil without transport-wide feedback.
  mutating func noteDeparture(of number: SequenceNumber, under transportNumber: Int64?) {
    if let transportNumber { departures.note(number, under: transportNumber) }
    budget.earn()
  }

  /// Lets packets be sent again as the path's rate allows.
  mutating func earn(at rate: Bitrate, now: MonotonicInstant) { budget.earn(at: rate, now: now) }
}

// MARK: - Requests

extension RetransmissionSender {
  /// Queues a packet that a NACK names; one that does not fit is requested again.
  ///
  /// - Parameters:
  ///   - isResent: it was sent again before.
  ///   - minimumInterval: a packet is not sent twice in such a time.
  mutating func request(_ number: SequenceNumber, isResent: Bool, minimumInterval: TimeSpan) {
    provocation.noteRequest(isRepeated: isResent)
    queue.append(number, minimumInterval: minimumInterval)
  }

  /// Queues the packet that feedback reports as lost, without waiting for the peer's request, which may get
  /// lost as well.
  ///
  /// - Parameter transportNumber: under which it left, extended.
  mutating func repair(
    lost transportNumber: Int64, from history: borrowing PacketHistory, minimumInterval: TimeSpan
  ) {
    guard rtx != nil, let number = departures.lastDeparture(under: transportNumber),
      history.payloadByteCount(of: number) != nil
    else { return }
    queue.append(number, minimumInterval: minimumInterval)
  }

  /// Whether a packet should overtake the one before it now, so that the peer names what it misses.
  ///
  /// Peers that report each packet repeat their requests; where packets queue on the path, none is worth provoking.
  func mayProvoke(over path: borrowing SendRateEstimator, now: MonotonicInstant) -> Bool {
    rtx != nil && path.feedback != .transportWide && !path.seesLongRoundTrip && provocation.isDue(now: now)
  }

  mutating func noteProvocation(now: MonotonicInstant) { provocation.noteOvertaking(now: now) }
}

// MARK: - Packets

extension RetransmissionSender {
  /// Sends the next requested packet; returns its length, or nil when none may leave.
  mutating func sendNext(
    from history: inout PacketHistory, _ extensions: inout OutgoingExtensions, now: MonotonicInstant,
    through output: PacketOutput
  ) -> Int? {
    provocation.concludeRequests()
    while let next = queue.popFirst() {
      let wanted = Retransmission(next.number, minimumInterval: next.interval, now: now)
      if let length = send(wanted, from: &history, &extensions, through: output) { return length }
    }
    return nil
  }

  private mutating func send(
    _ wanted: Retransmission, from history: inout PacketHistory, _ extensions: inout OutgoingExtensions,
    through output: PacketOutput
  ) -> Int? {
    guard !budget.isExhausted else { return nil }
    let transportNumber = extensions.stamp(for: output, now: wanted.now)
    let length = output.sendRTP(isNumbered: extensions.isNumbering, now: wanted.now) {
      (buffer) throws(InsufficientSpace) in
      guard rtx != nil else { return try history.retransmit(wanted, extensions: extensions.block, into: &buffer) }
      return try history.retransmit(wanted, over: &rtx!, extensions: extensions.block, into: &buffer)
    }
    guard let length else { return nil }
    budget.spend(length)
    resentCount += 1
    if let transportNumber { departures.note(wanted.number, under: transportNumber) }
    return length
  }

  /// Sends a packet of padding on the retransmission stream; returns its length, or nil where that is not possible.
  ///
  /// - Parameters:
  ///   - timestamp: of the stream's last packet.
  ///   - probe: the id of the probe that the packet is part of.
  mutating func sendPadding(
    timestamp: UInt32, probe: UInt16, _ extensions: inout OutgoingExtensions, now: MonotonicInstant,
    through output: PacketOutput
  ) -> Int? {
    guard rtx != nil else { return nil }
    extensions.stamp(for: output, now: now)
    return output.sendRTP(isNumbered: extensions.isNumbering, probe: probe, now: now) {
      (buffer) throws(InsufficientSpace) in
      try rtx!.padding(255, timestamp: timestamp, extensions: extensions.block, into: &buffer)
    }
  }
}
