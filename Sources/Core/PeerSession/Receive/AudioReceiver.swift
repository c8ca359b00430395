import MediaCore
import RTP

/// Receives one Opus stream: packets in order, on the peer's timeline.
struct AudioReceiver: ~Copyable {
  let ssrc: SSRC
  private let payloadType: UInt8
  private var packets = AudioReorderBuffer()
  private var mapper = RTPTimestampMapper(clockRate: 48_000)
  private(set) var statistics: ReceiveStatistics
  private var frameNumber: UInt32 = 0
  private(set) var frameCount: UInt64 = 0

  init(ssrc: SSRC, payloadType: UInt8) {
    self.ssrc = ssrc
    self.payloadType = payloadType
    statistics = ReceiveStatistics(ssrc: ssrc, clockRate: 48_000)
  }

  var deadline: MonotonicInstant { packets.deadline ?? .distantFuture }

  mutating func receive(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    guard header.payloadType == payloadType else { return }
    statistics.receive(header, now: now)
    packets.insert(header, packet: packet, now: now)
  }

  mutating func receive(_ info: SenderInfo, now: MonotonicInstant) {
    statistics.receive(info, now: now)
    mapper.receive(info)
  }

  mutating func deliver(
    to sink: any ReceivedFrameSink, using buffer: FrameBuffer, timeline: PeerTimeline, now: MonotonicInstant
  ) {
    while deliverOne(to: sink, using: buffer, timeline: timeline, now: now) {}
  }

  private mutating func deliverOne(
    to sink: any ReceivedFrameSink, using buffer: FrameBuffer, timeline: PeerTimeline, now: MonotonicInstant
  ) -> Bool {
    buffer.withBytes { bytes in
      guard let packet = try? packets.popFirst(now: now, into: &bytes) else { return false }
      frameNumber &+= UInt32(clamping: 1 + packet.lostBefore)
      frameCount += 1
      let payload = bytes.bytes.extracting(0..<packet.byteCount)
      let header = EncodedFrameHeader(
        kind: .audio, timestamp: mapper.instant(of: packet.timestamp, arrival: packet.arrival, timeline: timeline),
        duration: OpusPacketDuration.duration(of: payload), isKeyFrame: true, number: frameNumber)
      sink.receive(header, payload: payload)
      return true
    }
  }

  mutating func makeReportBlock(now: MonotonicInstant) -> ReportBlock? { statistics.makeReportBlock(now: now) }
}
