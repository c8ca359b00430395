import MediaCore
import RTP
import SDP

/// The receiving half of a ``TestPeer``.
struct TestReceiver: ~Copyable {
  private(set) var frames = ArrivedFrames()
  private(set) var videoSSRC: SSRC?
  private(set) var audioSSRC: SSRC?
  private(set) var rtxSSRC: SSRC?
  private(set) var packetsRecovered = 0
  /// Asks for lost packets and key frames.
  var asksForRepair = true
  /// Receives the pictures in place of the parts that the session has; they ask for key frames, this does not.
  var patient: PatientReceiver?
  /// Whether the one that asks on gaps reports an estimate as well.
  var reportsEstimate = true
  private var estimate = PatientEstimate()
  private var wantsKeyFrame = false
  private var roundTrip = TimeSpan.milliseconds(100)
  private var lastKeyFrameRequest = MonotonicInstant(nanoseconds: 0)
  private var assembler = VideoFrameAssembler()
  private var nacks = NackGenerator()
  private var audio = AudioReorderBuffer()
  private var videoStatistics: ReceiveStatistics?
  private var audioStatistics: ReceiveStatistics?

  mutating func take(_ answer: SDPSession) {
    for media in answer.media where media.port != 0 {
      guard let ssrc = media.sources.first?.ssrc else { continue }
      if media.kind == .video {
        videoSSRC = SSRC(ssrc)
        rtxSSRC = media.sourceGroups.first.map { SSRC($0.ssrcs[1]) }
        videoStatistics = ReceiveStatistics(ssrc: SSRC(ssrc), clockRate: 90_000)
      } else {
        audioSSRC = SSRC(ssrc)
        audioStatistics = ReceiveStatistics(ssrc: SSRC(ssrc), clockRate: 48_000)
      }
    }
  }

  private var nextKeyFrameRequest: MonotonicInstant {
    lastKeyFrameRequest + max(.milliseconds(500), roundTrip * 5 / 4)
  }

  var deadline: MonotonicInstant {
    guard asksForRepair else { return .distantFuture }
    if let patient { return min(patient.deadline, audio.deadline ?? .distantFuture) }
    let media = min(assembler.deadline ?? .distantFuture, audio.deadline ?? .distantFuture)
    let request = assembler.needsKeyFrame ? nextKeyFrameRequest : .distantFuture
    return min(media, nacks.deadline ?? .distantFuture, request)
  }

  /// Trusts in retransmissions for about two round trips.
  mutating func adapt(roundTrip: TimeSpan) {
    self.roundTrip = roundTrip
    patient?.roundTrip = roundTrip
    assembler.timeout = max(.milliseconds(250), min(roundTrip * 5 / 4 + .milliseconds(50), .seconds(1)))
    assembler.maximumWait = max(assembler.timeout * 2, .seconds(1))
  }

  mutating func receive(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    estimate.receive(packet.byteCount, now: now)
    switch header.ssrc {
    case videoSSRC:
      videoStatistics?.receive(header, now: now)
      insert(header, packet: packet, now: now)
    case rtxSSRC: receiveRetransmission(header, packet: packet, now: now)
    case audioSSRC:
      audioStatistics?.receive(header, now: now)
      audio.insert(header, packet: packet, now: now)
    default: return
    }
    deliver(now: now)
  }

  private mutating func insert(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    guard patient == nil else {
      patient?.insert(header, packet: packet)
      return
    }
    nacks.receive(header.sequenceNumber, now: now)
    assembler.insert(header, packet: packet, now: now)
  }

  private mutating func receiveRetransmission(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    guard let videoSSRC else { return }
    let original = writtenOctets { (buffer) throws(InsufficientSpace) in
      try RTXDecapsulation.unwrap(
        packet, header: header, originalSSRC: videoSSRC, originalPayloadType: OfferTemplate.videoPayloadType,
        into: &buffer)
    }
    guard let original, let inner = try? RTPHeader(parsing: original.span.bytes) else { return }
    packetsRecovered += 1
    insert(inner, packet: original.span.bytes, now: now)
  }

  mutating func receive(_ info: SenderInfo, of ssrc: SSRC, now: MonotonicInstant) {
    if ssrc == videoSSRC { videoStatistics?.receive(info, now: now) }
    if ssrc == audioSSRC { audioStatistics?.receive(info, now: now) }
  }

  private mutating func deliver(now: MonotonicInstant) {
    while let octets = patient?.popFirst() {
      frames.video.append(
        ArrivedFrame(
          number: TestFrame.number(of: octets, kind: .video), isKeyFrame: octets[0] & 1 == 0, localNumber: 0,
          timestamp: now, arrival: now))
    }
    while deliverVideo(now: now) || deliverAudio(now: now) {}
  }

  private mutating func deliverVideo(now: MonotonicInstant) -> Bool {
    var frame: VideoFrame?
    let octets = writtenOctets(capacity: 100_000) { buffer in
      frame = assembler.popFirst(now: now, into: &buffer)
      return frame?.byteCount
    }
    guard let frame, let octets else { return false }
    nacks.forget(before: frame.firstSequenceNumber)
    if frame.isKeyFrame { wantsKeyFrame = false }
    frames.video.append(
      ArrivedFrame(
        number: TestFrame.number(of: octets, kind: .video), isKeyFrame: frame.isKeyFrame, localNumber: 0,
        timestamp: now, arrival: now))
    return true
  }

  private mutating func deliverAudio(now: MonotonicInstant) -> Bool {
    let octets = writtenOctets { (buffer) throws(InsufficientSpace) in
      try audio.popFirst(now: now, into: &buffer)?.byteCount
    }
    guard let octets else { return false }
    frames.audio.append(
      ArrivedFrame(
        number: TestFrame.number(of: octets, kind: .audio), isKeyFrame: true, localNumber: 0, timestamp: now,
        arrival: now))
    return true
  }

  // MARK: Feedback

  /// NACKs and PLI that are due, in a compound without a report (RFC 5506); empty when there is nothing.
  mutating func makeFeedback(now: MonotonicInstant) -> [UInt8] {
    deliver(now: now)
    guard asksForRepair, let videoSSRC else { return [] }
    if patient != nil { return makePatientFeedback(of: videoSSRC, now: now) }
    var numbers = [SequenceNumber](repeating: 0, count: 64)
    var span = numbers.mutableSpan
    let count = nacks.takeRequests(roundTrip: roundTrip, now: now, into: &span)
    if nacks.takeKeyFrameRequest() { wantsKeyFrame = true }
    let isKeyFrameDue = (assembler.needsKeyFrame || wantsKeyFrame) && now >= nextKeyFrameRequest
    if isKeyFrameDue { lastKeyFrameRequest = now }
    return writtenOctets { (buffer) throws(InsufficientSpace) in
      var writer = ByteWriter(overwriting: &buffer)
      try RTCPWriter.writeNack(
        sender: TestPeer.videoSSRC, media: videoSSRC, numbers: numbers.span.extracting(0..<count), to: &writer)
      if isKeyFrameDue {
        try RTCPWriter.writePictureLossIndication(sender: TestPeer.videoSSRC, media: videoSSRC, to: &writer)
      }
      return writer.count
    } ?? []
  }

  private mutating func makePatientFeedback(of ssrc: SSRC, now: MonotonicInstant) -> [UInt8] {
    let numbers = patient?.takeRequests(now: now) ?? []
    let estimate = patient?.habit == .onGaps && reportsEstimate ? estimate.take(now: now) : nil
    return writtenOctets { (buffer) throws(InsufficientSpace) in
      var writer = ByteWriter(overwriting: &buffer)
      try RTCPWriter.writeNack(sender: TestPeer.videoSSRC, media: ssrc, numbers: numbers.span, to: &writer)
      if patient?.takeKeyFrameRequest() == true {
        try RTCPWriter.writePictureLossIndication(sender: TestPeer.videoSSRC, media: ssrc, to: &writer)
      }
      if let estimate {
        let media = InlineArray<1, SSRC>(repeating: ssrc)
        try RTCPWriter.writeReceiverEstimatedMaximumBitrate(
          sender: TestPeer.videoSSRC, bitrate: estimate, media: media.span, to: &writer)
      }
      return writer.count
    } ?? []
  }

  mutating func makeReportBlocks(now: MonotonicInstant) -> [ReportBlock] {
    [videoStatistics?.makeReportBlock(now: now), audioStatistics?.makeReportBlock(now: now)].compactMap { $0 }
  }
}
