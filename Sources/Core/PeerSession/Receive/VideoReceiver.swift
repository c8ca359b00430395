import MediaCore
import RTP

/// Receives one VP8 stream: retransmissions, frames in order, and requests for what is missing.
struct VideoReceiver: ~Copyable {
  let ssrc: SSRC
  private let payloadType: UInt8
  private let rtxPayloadType: UInt8?
  private var assembler = VideoFrameAssembler(slotSize: PacketOutput.maximumPacket + 300)
  private var nacks = NackGenerator()
  private var mapper = RTPTimestampMapper(clockRate: 90_000)
  private(set) var statistics: ReceiveStatistics
  private var frameNumber: UInt32 = 0
  private(set) var frameCount: UInt64 = 0
  private var lastKeyFrameRequest: MonotonicInstant?
  private var isKeyFrameWanted = false

  init(ssrc: SSRC, payloadType: UInt8, rtxPayloadType: UInt8?) {
    self.ssrc = ssrc
    self.payloadType = payloadType
    self.rtxPayloadType = rtxPayloadType
    statistics = ReceiveStatistics(ssrc: ssrc, clockRate: 90_000)
  }

  /// When lateness has to be looked at again.
  var deadline: MonotonicInstant {
    min(assembler.deadline ?? .distantFuture, nacks.deadline ?? .distantFuture, keyFrameDeadline)
  }

  private var keyFrameDeadline: MonotonicInstant {
    guard needsKeyFrame else { return .distantFuture }
    return lastKeyFrameRequest.map { $0 + Self.keyFrameRequestInterval } ?? MonotonicInstant(nanoseconds: 0)
  }

  private var needsKeyFrame: Bool { isKeyFrameWanted || assembler.needsKeyFrame }

  private static var keyFrameRequestInterval: TimeSpan { .milliseconds(500) }

  /// Takes a packet of the stream itself.
  mutating func receive(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    guard header.payloadType == payloadType else { return }
    statistics.receive(header, now: now)
    insert(header, packet: packet, now: now)
  }

  /// Takes a packet of the retransmission stream; `scratch` is overwritten.
  mutating func receiveRetransmission(
    _ header: RTPHeader, packet: RawSpan, scratch: inout MutableRawSpan, now: MonotonicInstant
  ) {
    guard header.payloadType == rtxPayloadType else { return }
    let length = try? RTXEncapsulation.unwrap(
      packet, header: header, originalSSRC: ssrc, originalPayloadType: payloadType, into: &scratch)
    guard let length = length ?? nil else { return }
    let original = scratch.bytes.extracting(0..<length)
    guard let originalHeader = try? RTPHeader(parsing: original) else { return }
    insert(originalHeader, packet: original, now: now)
  }

  private mutating func insert(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    // Packets without payload probe for bandwidth; they belong to no frame but take a sequence number.
    nacks.receive(header.sequenceNumber, now: now)
    assembler.insert(header, packet: packet, now: now)
  }

  mutating func receive(_ info: SenderInfo, now: MonotonicInstant) {
    statistics.receive(info, now: now)
    mapper.receive(info)
  }

  /// Hands every frame that is ready to `sink`.
  mutating func deliver(
    to sink: any ReceivedFrameSink, using buffer: FrameBuffer, timeline: PeerTimeline, now: MonotonicInstant
  ) {
    while deliverOne(to: sink, using: buffer, timeline: timeline, now: now) {}
  }

  private mutating func deliverOne(
    to sink: any ReceivedFrameSink, using buffer: FrameBuffer, timeline: PeerTimeline, now: MonotonicInstant
  ) -> Bool {
    buffer.withBytes { bytes in
      guard let frame = assembler.popFirst(now: now, into: &bytes) else { return false }
      // A gap in the numbers tells the archive that frames were lost before this one.
      frameNumber &+= frame.followsLoss ? 2 : 1
      frameCount += 1
      if frame.isKeyFrame {
        isKeyFrameWanted = false
        nacks.forget(before: frame.firstSequenceNumber)
      }
      let header = EncodedFrameHeader(
        kind: .video, timestamp: mapper.instant(of: frame.timestamp, arrival: now, timeline: timeline),
        duration: .zero, isKeyFrame: frame.isKeyFrame, temporalLayer: frame.temporalLayer,
        isDiscardable: frame.isDiscardable, number: frameNumber, width: frame.width, height: frame.height)
      sink.receive(header, payload: bytes.bytes.extracting(0..<frame.byteCount))
      return true
    }
  }

  /// Asks for a key frame with the next feedback, for example because a recording starts.
  mutating func wantKeyFrame() { isKeyFrameWanted = true }

  /// Writes the feedback that is due now (NACK, PLI); nil when there is none.
  mutating func writeFeedback(
    sender: SSRC, roundTrip: TimeSpan, now: MonotonicInstant, into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int? {
    var writer = ByteWriter(overwriting: &buffer)
    var numbers = InlineArray<64, SequenceNumber>(repeating: SequenceNumber(0))
    var span = numbers.mutableSpan
    let count = nacks.takeRequests(roundTrip: roundTrip, now: now, into: &span)
    try RTCPWriter.writeNack(
      sender: sender, media: ssrc, numbers: numbers.span.extracting(0..<count), to: &writer)
    if nacks.takeKeyFrameRequest() { isKeyFrameWanted = true }
    if keyFrameDeadline <= now {
      lastKeyFrameRequest = now
      try RTCPWriter.writePictureLossIndication(sender: sender, media: ssrc, to: &writer)
    }
    return writer.count > 0 ? writer.count : nil
  }

  mutating func makeReportBlock(now: MonotonicInstant) -> ReportBlock? { statistics.makeReportBlock(now: now) }
}
