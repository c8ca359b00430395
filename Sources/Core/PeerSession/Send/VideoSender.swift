import MediaCore
import RTP

/// Sends one VP8 stream: packets, their history for retransmission, and the wait for a key frame.
struct VideoSender: ~Copyable {
  private var packetizer: VP8Packetizer
  private var history = PacketHistory(slotCount: 512, slotSize: PacketOutput.maximumPacket)
  private var rtx: RTXEncapsulation?
  private var allowance = ResendAllowance()
  private let extensions: RTPHeaderExtensionBlock
  private let clock: RTPClock
  private(set) var statistics: SendStatistics
  /// Frames before the next key frame would not decode: nothing was sent yet, or a reference frame was lost.
  private(set) var needsKeyFrame = true
  private var nextFrameNumber: UInt32?

  var ssrc: SSRC { packetizer.ssrc }

  init(
    packetizer: VP8Packetizer, rtx: RTXEncapsulation?, extensions: RTPHeaderExtensionBlock, clock: RTPClock
  ) {
    self.packetizer = packetizer
    self.rtx = rtx
    self.extensions = extensions
    self.clock = clock
    statistics = SendStatistics(ssrc: packetizer.ssrc, clockRate: Int(clock.rate))
  }

  /// Sends a frame, unless it depends on one that was not sent.
  mutating func send(_ frame: EncodedFrameHeader, payload: RawSpan, through output: PacketOutput) {
    if let expected = nextFrameNumber, frame.number != expected { needsKeyFrame = true }
    nextFrameNumber = frame.number &+ 1
    needsKeyFrame = !output.isOpen || needsKeyFrame && !frame.isKeyFrame
    guard !needsKeyFrame else { return }
    let timestamp = clock.timestamp(at: frame.timestamp)
    packetizer.begin(
      VP8Packetizer.Frame(
        timestamp: timestamp, temporalLayer: frame.temporalLayer, isDiscardable: frame.isDiscardable),
      byteCount: payload.byteCount)
    while let count = sendPacket(of: payload, through: output) {
      statistics.send(timestamp: timestamp, captured: frame.timestamp, payloadByteCount: count)
      allowance.earn()
    }
  }

  /// Sends the frame's next packet and returns the octets of its payload, or nil after the last.
  private mutating func sendPacket(of payload: RawSpan, through output: PacketOutput) -> Int? {
    let length = output.sendRTP { (buffer) throws(InsufficientSpace) in
      let number = packetizer.nextSequenceNumber
      guard let length = try packetizer.nextPacket(of: payload, extensions: extensions, into: &buffer) else {
        return nil
      }
      history.store(buffer.bytes.extracting(0..<length), number: number)
      return length
    }
    return length.map { $0 - RTPHeader.byteCount(with: extensions) }
  }

  mutating func makeSenderInfo(now: MonotonicInstant) -> SenderInfo? {
    statistics.makeSenderInfo(ntp: RTPClock.ntp(at: now), now: now)
  }

  /// Takes a report on the stream; returns the round trip that it shows, if any.
  mutating func receive(_ block: ReportBlock, now: MonotonicInstant) -> TimeSpan? {
    statistics.receive(block, now: now)
  }

  /// Sends the packets again that a NACK names; returns how many went out.
  mutating func resend(
    _ entry: NackEntry, roundTrip: TimeSpan, now: MonotonicInstant, through output: PacketOutput
  ) -> Int {
    var count = 0
    for offset in 0...16 {
      guard let number = entry.number(at: offset), !allowance.isExhausted else { continue }
      if resend(number, roundTrip: roundTrip, now: now, through: output) { count += 1 }
    }
    return count
  }

  private mutating func resend(
    _ number: SequenceNumber, roundTrip: TimeSpan, now: MonotonicInstant, through output: PacketOutput
  ) -> Bool {
    let length = output.sendRTP { (buffer) throws(InsufficientSpace) in
      guard rtx != nil else {
        return try history.retransmit(number, minimumInterval: roundTrip, now: now, into: &buffer)
      }
      return try history.retransmit(
        number, over: &rtx!, extensions: extensions, minimumInterval: roundTrip, now: now, into: &buffer)
    }
    guard length != nil else { return false }
    allowance.spend()
    return true
  }
}
