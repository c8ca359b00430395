import MediaCore
import RTP
import SDP

/// Receives one VP8 stream: retransmissions, frames in order, and requests for missing packets.
struct VideoReceiver: ~Copyable {
  private let payloadType: UInt8
  private let rtxPayloadType: UInt8?
  /// What the peer understands.
  private let takesNacks: Bool
  private let takesPictureLossIndications: Bool
  private let takesFullIntraRequests: Bool
  private var source: ReceivedSSRC
  private var assembler = Self.makeAssembler()
  private var nacks = NackGenerator()
  private var lastKeyFrameRequest: MonotonicInstant?
  private var isKeyFrameWanted = false
  private var lastKeyFrame: MonotonicInstant?
  /// How far apart key frames should be at most; nil where that does not matter.
  var keyFrameInterval: TimeSpan?
  /// An answer takes a round trip; an earlier repetition arrives twice.
  private var keyFrameRequestInterval = TimeSpan.milliseconds(500)
  private var fullIntraRequestNumber: UInt8 = 0

  init(
    ssrc: SSRC, payloadType: UInt8, rtxPayloadType: UInt8?, feedback: FeedbackTypes, now: MonotonicInstant
  ) {
    takesNacks = feedback.contains(.nack)
    takesPictureLossIndications = feedback.contains(.pictureLossIndication)
    takesFullIntraRequests = feedback.contains(.fullIntraRequest)
    self.payloadType = payloadType
    self.rtxPayloadType = rtxPayloadType
    source = ReceivedSSRC(ssrc: ssrc, clockRate: 90_000, now: now)
  }

  private static func makeAssembler() -> VideoFrameAssembler {
    VideoFrameAssembler(maximumWait: .seconds(1), slotSize: PacketOutput.maximumPacket + 300)
  }

  var ssrc: SSRC { source.ssrc }

  var frameCount: UInt64 { source.sequence.count }

  /// Negative when duplicates outnumber losses.
  var lossCount: Int64 { source.lossCount }

  /// When lateness has to be checked again.
  var deadline: MonotonicInstant { min(frameDeadline, feedbackDeadline) }

  /// When a frame is waited for no longer.
  var frameDeadline: MonotonicInstant { assembler.deadline ?? .distantFuture }

  /// When a request to the peer is due.
  var feedbackDeadline: MonotonicInstant {
    min(keyFrameDeadline, takesNacks ? nacks.deadline ?? .distantFuture : .distantFuture)
  }

  mutating func makeReportBlock(now: MonotonicInstant) -> ReportBlock? { source.makeReportBlock(now: now) }
}

// MARK: - Packets

extension VideoReceiver {
  /// Takes a packet of the stream itself.
  mutating func receive(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    guard header.payloadType == payloadType else { return }
    source.receive(header, now: now)
    insert(header, packet: packet, now: now)
  }

  /// Takes a packet of the retransmission stream; `scratch` is overwritten.
  mutating func receiveRetransmission(
    _ header: RTPHeader, packet: RawSpan, scratch: inout MutableRawSpan, now: MonotonicInstant
  ) {
    guard header.payloadType == rtxPayloadType else { return }
    let length = try? RTXDecapsulation.unwrap(
      packet, header: header, originalSSRC: ssrc, originalPayloadType: payloadType, into: &scratch)
    guard let length = length ?? nil else { return }
    let original = scratch.bytes.extracting(0..<length)
    guard let originalHeader = try? RTPHeader(parsing: original) else { return }
    source.noteRetransmission(now: now)
    insert(originalHeader, packet: original, now: now)
  }

  private mutating func insert(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    // Packets without payload probe for bandwidth; they belong to no frame but take a sequence number.
    nacks.receive(header.sequenceNumber, now: now)
    if nacks.takeKeyFrameRequest() { isKeyFrameWanted = true }
    assembler.insert(header, packet: packet, now: now)
  }

  mutating func receive(_ info: SenderInfo, timeline: borrowing PeerTimeline, now: MonotonicInstant) {
    source.receive(info, timeline: timeline, now: now)
  }

  mutating func noteGoodbye() { source.noteGoodbye() }

  /// Switches to another source; false when it is not yet time for a change.
  mutating func change(to ssrc: SSRC, now: MonotonicInstant) -> Bool {
    guard source.change(to: ssrc, now: now) else { return false }
    let (timeout, maximumWait) = (assembler.timeout, assembler.maximumWait)
    assembler = Self.makeAssembler()
    assembler.timeout = timeout
    assembler.maximumWait = maximumWait
    nacks = NackGenerator()
    return true
  }

  /// Trusts in retransmissions for two round trips and a little, so that the first may get lost.
  ///
  /// Over a slow path for a little more than one: then a key frame is requested, which needs a round trip as well, and
  /// whichever comes first ends the wait. Without that one round trip each loss would cost all frames up to a key frame.
  mutating func adapt(roundTrip: TimeSpan) {
    let twice = min(roundTrip * 2 + .milliseconds(20), .milliseconds(250))
    let once = min(roundTrip * 5 / 4 + .milliseconds(50), .seconds(1))
    assembler.timeout = max(twice, once, .milliseconds(100))
    assembler.maximumWait = max(assembler.timeout * 2, .seconds(1))
    keyFrameRequestInterval = min(max(roundTrip * 5 / 4, .milliseconds(500)), .milliseconds(1_500))
  }
}

// MARK: - Frames

extension VideoReceiver {
  /// Hands every frame that is ready to `sink`.
  mutating func deliver(
    to sink: any ReceivedFrameSink, using buffer: FrameBuffer, now: MonotonicInstant
  ) {
    while deliverOne(to: sink, using: buffer, now: now) {}
  }

  private mutating func deliverOne(
    to sink: any ReceivedFrameSink, using buffer: FrameBuffer, now: MonotonicInstant
  ) -> Bool {
    buffer.withBytes { bytes in
      guard let frame = assembler.popFirst(now: now, into: &bytes) else { return false }
      if frame.isKeyFrame { noteKeyFrame(now: now) }
      // Older ones would come too late.
      nacks.forget(before: frame.firstSequenceNumber)
      if frame.followsLoss { source.sequence.noteLoss() }
      let instant = source.instant(of: frame.timestamp, arrival: now)
      let place = source.sequence.advance(to: instant)
      let header = EncodedFrameHeader(
        kind: .video, timestamp: place.timestamp, duration: .zero, isKeyFrame: frame.isKeyFrame,
        temporalLayer: frame.temporalLayer, isDiscardable: frame.isDiscardable, number: place.number,
        width: frame.width, height: frame.height)
      sink.receive(header, payload: bytes.bytes.extracting(0..<frame.byteCount))
      return true
    }
  }
}

// MARK: - Feedback

extension VideoReceiver {
  /// How long until a deliberately requested key frame is requested again.
  private static var regularRequestInterval: TimeSpan { .seconds(2) }

  private mutating func noteKeyFrame(now: MonotonicInstant) {
    isKeyFrameWanted = false
    lastKeyFrame = now
  }

  /// When the next key frame is due although the video decodes without it.
  private var regularKeyFrame: MonotonicInstant {
    guard let keyFrameInterval, let lastKeyFrame, mayAskForKeyFrame else { return .distantFuture }
    return max(lastKeyFrame + keyFrameInterval, (lastKeyFrameRequest ?? lastKeyFrame) + Self.regularRequestInterval)
  }

  /// How long a peer may be silent before it is asked for nothing, until it sends again.
  private static var keyFrameRequestLimit: TimeSpan { .seconds(5) }

  private var mayAskForKeyFrame: Bool {
    (takesPictureLossIndications || takesFullIntraRequests) && !source.hasEnded
  }

  private var keyFrameDeadline: MonotonicInstant {
    let isNeeded = mayAskForKeyFrame && (isKeyFrameWanted || assembler.needsKeyFrame)
    guard isNeeded || keyFrameInterval != nil else { return .distantFuture }
    guard let lastKeyFrameRequest else { return isNeeded ? source.lastPacket : regularKeyFrame }
    let next = isNeeded ? lastKeyFrameRequest + keyFrameRequestInterval : regularKeyFrame
    return next <= source.lastPacket + Self.keyFrameRequestLimit ? next : .distantFuture
  }

  /// Requests a key frame with the next feedback, for example because a recording starts.
  mutating func wantKeyFrame() { isKeyFrameWanted = true }

  /// Writes the feedback that is due now (NACK, PLI); nil when there is none.
  mutating func writeFeedback(
    sender: SSRC, roundTrip: TimeSpan, now: MonotonicInstant, into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int? {
    var writer = ByteWriter(overwriting: &buffer)
    if takesNacks { try writeNacks(sender: sender, roundTrip: roundTrip, now: now, to: &writer) }
    if keyFrameDeadline <= now {
      lastKeyFrameRequest = now
      try writeKeyFrameRequest(sender: sender, to: &writer)
    }
    return writer.count > 0 ? writer.count : nil
  }

  private mutating func writeNacks(
    sender: SSRC, roundTrip: TimeSpan, now: MonotonicInstant, to writer: inout ByteWriter
  ) throws(InsufficientSpace) {
    var numbers = InlineArray<64, SequenceNumber>(repeating: SequenceNumber(0))
    var span = numbers.mutableSpan
    let count = nacks.takeRequests(roundTrip: roundTrip, now: now, into: &span)
    if nacks.takeKeyFrameRequest() { isKeyFrameWanted = true }
    try RTCPWriter.writeNack(
      sender: sender, media: ssrc, numbers: numbers.span.extracting(0..<count), to: &writer)
  }

  private mutating func writeKeyFrameRequest(sender: SSRC, to writer: inout ByteWriter) throws(InsufficientSpace) {
    guard !takesPictureLossIndications else {
      return try RTCPWriter.writePictureLossIndication(sender: sender, media: ssrc, to: &writer)
    }
    try RTCPWriter.writeFullIntraRequest(sender: sender, media: ssrc, number: fullIntraRequestNumber, to: &writer)
    fullIntraRequestNumber &+= 1
  }
}
