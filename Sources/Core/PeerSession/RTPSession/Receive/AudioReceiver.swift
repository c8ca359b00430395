import MediaCore
import RTP

/// Receives one Opus stream: packets as they come for who plays them, and in order, on the peer's timeline.
struct AudioReceiver: ~Copyable {
  private let payloadType: UInt8
  /// The header extension for a packet's audio level.
  private let levelID: UInt8?
  private var source: ReceivedSSRC
  /// How loud the last packet was, as the peer says.
  private(set) var level: UInt8?
  private var packets = AudioReorderBuffer()

  init(ssrc: SSRC, payloadType: UInt8, levelID: UInt8?, now: MonotonicInstant) {
    self.payloadType = payloadType
    self.levelID = levelID
    source = ReceivedSSRC(ssrc: ssrc, clockRate: 48_000, now: now)
  }

  var ssrc: SSRC { source.ssrc }

  var frameCount: UInt64 { source.sequence.count }

  /// Negative when duplicates outnumber losses.
  var lossCount: Int64 { source.lossCount }

  var deadline: MonotonicInstant { packets.deadline ?? .distantFuture }

  mutating func receive(
    _ header: RTPHeader, packet: RawSpan, now: MonotonicInstant, sink: any ReceivedFrameSink
  ) {
    guard header.payloadType == payloadType else { return }
    source.receive(header, now: now)
    if let levelID, let read = header.audioLevel(levelID, in: packet) { level = read.attenuation }
    guard packets.insert(header, packet: packet, now: now) != .rejected, !header.payloadRange.isEmpty else { return }
    sink.receiveSound(
      SoundArrival(instant: now, timestamp: header.timestamp, sequenceNumber: header.sequenceNumber.rawValue),
      payload: packet.extracting(header.payloadRange))
  }

  /// Takes note of a packet that stands among those of the sound: its number is not missing there.
  mutating func receiveTelephoneEvent(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    source.receiveTelephoneEvent(header, now: now)
    packets.insert(header.withoutPayload, packet: packet, now: now)
  }

  mutating func receive(_ info: SenderInfo, timeline: borrowing PeerTimeline, now: MonotonicInstant) {
    source.receive(info, timeline: timeline, now: now)
  }

  mutating func noteGoodbye() { source.noteGoodbye() }

  /// Switches to another source; false when it is not yet time for a change.
  mutating func change(to ssrc: SSRC, now: MonotonicInstant) -> Bool {
    guard source.change(to: ssrc, now: now) else { return false }
    packets = AudioReorderBuffer()
    return true
  }

  mutating func deliver(
    to sink: any ReceivedFrameSink, using buffer: FrameBuffer, now: MonotonicInstant
  ) {
    while deliverOne(to: sink, using: buffer, now: now) {}
  }

  private mutating func deliverOne(
    to sink: any ReceivedFrameSink, using buffer: FrameBuffer, now: MonotonicInstant
  ) -> Bool {
    buffer.withBytes { bytes in
      guard let packet = try? packets.popFirst(now: now, into: &bytes) else { return false }
      source.sequence.noteLoss(packet.lostBefore)
      // A packet of nothing but padding keeps a path open or probes it.
      guard packet.byteCount > 0 else { return true }
      let payload = bytes.bytes.extracting(0..<packet.byteCount)
      let instant = source.instant(of: packet.timestamp, arrival: packet.arrival)
      let duration = OpusPacket.duration(payload)
      guard !source.sequence.isBacklog(at: instant, lasting: duration) else { return true }
      let place = source.sequence.advance(to: instant)
      let header = EncodedFrameHeader(
        kind: .audio, timestamp: place.timestamp, duration: duration, isKeyFrame: true,
        number: place.number)
      sink.receive(header, payload: payload)
      return true
    }
  }

  mutating func makeReportBlock(now: MonotonicInstant) -> ReportBlock? { source.makeReportBlock(now: now) }
}
