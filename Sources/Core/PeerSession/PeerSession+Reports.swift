import CongestionControl
import MediaCore
import RTP

extension PeerSession {
  private static var reportInterval: TimeSpan { .seconds(1) }

  /// The source that feedback comes from, also when this side sends nothing.
  var reporter: SSRC { videoSender?.ssrc ?? audioSender?.ssrc ?? SSRC(1) }

  /// Sends NACKs and requests for key frames that are due.
  func sendFeedback(now: MonotonicInstant) {
    guard phase == .connected, let deadline = videoReceiver?.deadline, deadline <= now else { return }
    output.sendRTCP { (buffer) throws(InsufficientSpace) in
      let prefix = usesReducedSizeRTCP ? 0 : try writePreamble(into: &buffer)
      var rest = buffer._mutatingExtracting(prefix..<buffer.byteCount)
      let count = try videoReceiver?.writeFeedback(sender: reporter, roundTrip: assumedRoundTrip, now: now, into: &rest)
      return count.map { $0 + prefix }
    }
  }

  /// Tells the peer when the packets arrived that came since the last time.
  ///
  /// - Parameter media: a source of the peer; where none is at hand, that of its pictures or sound.
  func sendTransportFeedback(media: SSRC? = nil, now: MonotonicInstant) {
    guard phase == .connected else { return }
    let media = media ?? videoReceiver?.ssrc ?? audioReceiver?.ssrc ?? SSRC(0)
    output.sendRTCP { (buffer) throws(InsufficientSpace) in
      let prefix = usesReducedSizeRTCP ? 0 : try writePreamble(into: &buffer)
      var writer = ByteWriter(overwriting: &buffer, from: prefix, upTo: PacketOutput.maximumPacket)
      try transportFeedback?.write(sender: reporter, media: media, now: now, to: &writer)
      return writer.count > 0 ? writer.count + prefix : nil
    }
  }

  /// An empty receiver report and the CNAME, with which a compound has to begin where reduced size is not agreed.
  private func writePreamble(into buffer: inout MutableRawSpan) throws(InsufficientSpace) -> Int {
    var writer = ByteWriter(overwriting: &buffer)
    let blocks = InlineArray<1, ReportBlock>(repeating: .empty)
    try RTCPWriter.writeReceiverReport(ssrc: reporter, blocks: blocks.span.extracting(0..<0), to: &writer)
    try writeDescription(to: &writer)
    return writer.count
  }

  private func writeDescription(to writer: inout ByteWriter) throws(InsufficientSpace) {
    let cname = cname
    let octets = cname.span
    try unsafe RTCPWriter.writeSourceDescription(ssrc: reporter, cname: octets.bytes, to: &writer)
    // Receivers relate the streams by their common name (RFC 3550 §6.5.1).
    guard let audio = audioSender?.ssrc, audio != reporter else { return }
    try unsafe RTCPWriter.writeSourceDescription(ssrc: audio, cname: octets.bytes, to: &writer)
  }

  /// Sends the regular reports, each second.
  func sendReports(now: MonotonicInstant) {
    reportDeadline = now + Self.reportInterval
    guard phase == .connected else { return }
    reportEstimate(now: now)
    output.sendRTCP { (buffer) throws(InsufficientSpace) in
      var writer = ByteWriter(overwriting: &buffer)
      try writeReports(to: &writer, now: now)
      try writeDescription(to: &writer)
      try writeReceiveLimit(to: &writer)
      try writeReferenceTimes(to: &writer, now: now)
      return writer.count
    }
  }

  private func writeReports(to writer: inout ByteWriter, now: MonotonicInstant) throws(InsufficientSpace) {
    var blocks = InlineArray<2, ReportBlock>(repeating: .empty)
    var count = 0
    if let block = videoReceiver?.makeReportBlock(now: now) {
      blocks[count] = block
      count += 1
    }
    if let block = audioReceiver?.makeReportBlock(now: now) {
      blocks[count] = block
      count += 1
    }
    let video = videoSender?.makeSenderInfo(now: now)
    let audio = audioSender?.makeSenderInfo(now: now)
    let span = blocks.span
    if let video, let ssrc = videoSender?.ssrc {
      try RTCPWriter.writeSenderReport(ssrc: ssrc, info: video, blocks: span.extracting(0..<count), to: &writer)
      count = 0
    }
    if let audio, let ssrc = audioSender?.ssrc {
      try RTCPWriter.writeSenderReport(ssrc: ssrc, info: audio, blocks: span.extracting(0..<count), to: &writer)
      count = 0
    }
    if video == nil, audio == nil {
      try RTCPWriter.writeReceiverReport(ssrc: reporter, blocks: span.extracting(0..<count), to: &writer)
    }
  }

  /// What the peer may send.
  private var receiveLimit: Bitrate { receiveRate?.estimate ?? configuration.receiveLimit }

  /// Whether the peer sends too much to wait for the next report.
  var isReceiveLimitUrgent: Bool {
    guard let toldReceiveLimit, videoReceiver != nil else { return false }
    return receiveLimit.bitsPerSecond < toldReceiveLimit.bitsPerSecond / 100 * 97
  }

  /// Tells the peer how much it may send; without that a browser stays at its starting rate.
  private func writeReceiveLimit(to writer: inout ByteWriter) throws(InsufficientSpace) {
    guard let video = videoReceiver?.ssrc, negotiated.takesReceiveLimit else { return }
    let media = InlineArray<1, SSRC>(repeating: video)
    try RTCPWriter.writeReceiverEstimatedMaximumBitrate(
      sender: reporter, bitrate: receiveLimit, media: media.span, to: &writer)
    toldReceiveLimit = receiveLimit
  }

  /// Answers the peer's reference time, and sends one where no sender report serves to measure the round trip.
  private func writeReferenceTimes(to writer: inout ByteWriter, now: MonotonicInstant) throws(InsufficientSpace) {
    if let answer = referenceTimes.takeAnswer(now: now) {
      try RTCPWriter.writeReferenceAnswer(ssrc: reporter, answer: answer, to: &writer)
    }
    let hasSent = (videoSender?.statistics.packetCount ?? 0) + (audioSender?.statistics.packetCount ?? 0) > 0
    guard !hasSent, videoReceiver != nil || audioReceiver != nil else { return }
    let ntp = RTPClock.ntp(at: now)
    receiverRoundTrips.send(ntp, now: now)
    try RTCPWriter.writeReceiverReferenceTime(ssrc: reporter, ntp: ntp, to: &writer)
  }

  func sendGoodbye(now: MonotonicInstant) {
    guard phase == .connected else { return }
    output.sendRTCP { (buffer) throws(InsufficientSpace) in
      var writer = ByteWriter(overwriting: &buffer)
      try writeReports(to: &writer, now: now)
      try writeDescription(to: &writer)
      if let ssrc = videoSender?.ssrc { try RTCPWriter.writeGoodbye(ssrc: ssrc, to: &writer) }
      if let ssrc = audioSender?.ssrc { try RTCPWriter.writeGoodbye(ssrc: ssrc, to: &writer) }
      return writer.count
    }
  }
}

extension ReportBlock {
  /// Fills places that are not reported.
  fileprivate static var empty: ReportBlock {
    ReportBlock(
      ssrc: SSRC(0), fractionLost: 0, cumulativeLost: 0, extendedHighestSequenceNumber: 0, jitter: 0,
      lastSenderReport: 0, delaySinceLastSenderReport: 0)
  }
}
