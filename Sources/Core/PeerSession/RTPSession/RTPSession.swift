import CongestionControl
import MediaCore
import RTP
import SDP
import TransportCrypto

/// The RTP session with one peer, sans-IO (RFC 3550): the streams of both directions, their reports and feedback, and
/// the rate that the path takes. Knows nothing of how the path was found.
///
/// Packets leave through the ``PacketOutput``, received frames through the ``ReceivedFrameSink``. Nothing leaves before
/// ``start(now:)``. Confined to one thread.
final class RTPSession {
  private static let reportInterval = TimeSpan.seconds(1)
  /// Over a longer path the peer may have given a packet up before it comes again: there it has to ask.
  private static let longestRepairRoundTrip = TimeSpan.milliseconds(250)
  /// Longer feedback covers more packets than are remembered.
  private static let longestFeedback = 2_048

  private let configuration: PeerSessionConfiguration
  private let crypto: any CryptoPrimitives
  private let sources: LocalSources
  private let output: PacketOutput
  private let description: SDESWriter
  private var streams = NegotiatedStreams([])
  private let outgoing = OutgoingStreams()
  private let incoming: IncomingStreams
  private var receiveSide: ReceiveSideCongestionControl
  private var roundTrips = RoundTrips()
  private var keyFrameRequests = KeyFrameRequests()
  private var estimateReporting = EstimateReporting()
  private var events = RTPSessionEvents()
  private var counters = PeerSessionStatistics()
  /// Nil while packets cannot leave: the session has not begun, or is over.
  private var nextReport: MonotonicInstant?

  init(
    _ configuration: PeerSessionConfiguration, sources: LocalSources, crypto: any CryptoPrimitives,
    frames: any ReceivedFrameSink, datagrams: DatagramOutput
  ) {
    self.configuration = configuration
    self.crypto = crypto
    self.sources = sources
    description = SDESWriter(cname: configuration.cname)
    incoming = IncomingStreams(frames: frames)
    receiveSide = ReceiveSideCongestionControl(limit: configuration.receiveLimit)
    let making = StreamFactory(streams: streams, sources: sources, crypto: crypto)
    output = PacketOutput(datagrams, sendController: SendController(rate: making.makeRateEstimator(configuration)))
  }

  /// Begins: there is a path, and keys.
  func start(now: MonotonicInstant) {
    nextReport = now
    reportEstimate(now: now)
    if streams.sendsVideo { requestLocalKeyFrame(now: now) }
  }

  /// Sends nothing more.
  func stop() { nextReport = nil }

  private var isRunning: Bool { nextReport != nil }

  private var reporter: SSRC { outgoing.reporter }

  /// Applies the agreement to the streams: senders and receivers are made, stop and resume.
  func follow(_ agreed: NegotiatedStreams, now: MonotonicInstant) {
    streams = agreed
    let making = StreamFactory(streams: agreed, sources: sources, crypto: crypto)
    if output.sendController.rate.feedback != agreed.rateFeedback {
      output.sendController.rate = making.makeRateEstimator(configuration)
    }
    receiveSide.follow(agreed) { making.makeReceiveEstimator(configuration) }
    incoming.follow(agreed)
    if outgoing.follow(agreed, making), isRunning { requestLocalKeyFrame(now: now) }
  }

  // MARK: Time

  /// When to call ``handleTimeout(now:)`` next.
  var deadline: MonotonicInstant {
    min(incoming.frameDeadline, nextReport ?? .distantFuture, keyFrameRequests.deadline, sendDeadline)
  }

  /// When packets are to be sent; without a path that would be repeatedly in vain.
  private var sendDeadline: MonotonicInstant {
    guard isRunning, output.isOpen else { return .distantFuture }
    return min(receiveSide.deadline, incoming.feedbackDeadline, outgoing.pacingDeadline(output))
  }

  func areReportsDue(now: MonotonicInstant) -> Bool { nextReport ?? .distantFuture <= now }

  /// Does due work.
  func handleTimeout(now: MonotonicInstant) {
    guard isRunning else { return }
    incoming.deliverFrames(now: now)
    sendFeedback(now: now)
    if receiveSide.deadline <= now { sendArrivals(now: now) }
    outgoing.pace(through: output, now: now)
    reportKeyFrameRequest(now: now)
    if areReportsDue(now: now) { sendReports(now: now) }
  }

  // MARK: Events

  /// Takes the next event.
  func takeEvent() -> PeerSessionEvent? { events.take() }

  /// The session's traffic so far, without the transport's part.
  var statistics: PeerSessionStatistics {
    var result = counters
    result.isConnected = isRunning
    result.packetsSent = output.packetCount
    result.bytesSent = output.byteCount
    result.videoFramesReceived = incoming.videoFrameCount
    result.audioFramesReceived = incoming.audioFrameCount
    result.roundTripTime = roundTrip
    result.receivedAudioLevel = incoming.audioLevel
    result.sendEstimate = sendsMedia ? output.sendController.rate.estimate : nil
    result.packetsResent = outgoing.resentCount
    result.sendPacketsLost = outgoing.reportedLossCount
    result.sendLoss = outgoing.reportedLoss
    result.receivePacketsLost = incoming.lossCount
    return result
  }

  private var roundTrip: TimeSpan? { outgoing.roundTrip ?? roundTrips.measured }

  private var sendsMedia: Bool { streams.sendsAudio || streams.sendsVideo }

  /// The estimate less the cost of retransmissions, but at least half.
  private var mediaEstimate: Bitrate {
    let whole = output.sendController.rate.estimate.bitsPerSecond
    return Bitrate(bitsPerSecond: max(whole - outgoing.resendRate.bitsPerSecond, whole / 2))
  }

  /// Reports changes of the permitted rate and of the audio loss.
  private func reportEstimate(now: MonotonicInstant) {
    guard isRunning, sendsMedia else { return }
    let estimate = mediaEstimate
    if estimateReporting.isDue(estimate, now: now) { events.report(estimate: estimate) }
    if let percent = outgoing.takeAudioLossChange() { events.report(audioLoss: percent) }
  }

  /// Asks the encoder for a key frame, now or when the last request is old enough.
  ///
  /// - Parameter isPeers: the peer has asked, which it may do as often as it likes.
  private func requestLocalKeyFrame(forPeer isPeers: Bool = false, now: MonotonicInstant) {
    guard streams.sendsVideo else { return }
    if isPeers { keyFrameRequests.requestForPeer(now: now) } else { keyFrameRequests.request() }
    reportKeyFrameRequest(now: now)
  }

  private func reportKeyFrameRequest(now: MonotonicInstant) {
    if keyFrameRequests.takeDue(now: now) { events.requestKeyFrame() }
  }
}

// MARK: - Sending

extension RTPSession {
  /// Whether frames of video would be sent.
  var takesVideo: Bool { isRunning && streams.sendsVideo }

  /// Sends a packet of encoded audio to the peer, if it takes any.
  func send(audio frame: EncodedFrameHeader, payload: RawSpan, now: MonotonicInstant) {
    guard isRunning, streams.sendsAudio else { return }
    outgoing.send(audio: frame, payload: payload, now: now, through: output)
  }

  /// Sends an encoded frame to the peer, if it takes video.
  func send(video frame: EncodedFrameHeader, payload: FramePayload, now: MonotonicInstant) {
    guard takesVideo else { return }
    if outgoing.send(video: frame, payload: payload, now: now, through: output) {
      requestLocalKeyFrame(now: now)
    } else if frame.isKeyFrame {
      keyFrameRequests.satisfy()
    }
  }

  /// Sends this many temporal layers of the video from now on; 0 makes it a still frame.
  func setVideoLayers(_ count: Int) { outgoing.setVideoLayers(count) }

  /// Frames come from another encoder from now on.
  func changeVideoSource() { outgoing.changeVideoSource() }

  /// Asks the peer for key frames that are no further apart; nil where that does not matter.
  func setKeyFrameInterval(_ interval: TimeSpan?) { incoming.keyFrameInterval = interval }

  /// Asks the peer for a key frame.
  func requestKeyFrame(now: MonotonicInstant) {
    incoming.wantKeyFrame()
    sendFeedback(now: now)
  }
}

// MARK: - Receiving

extension RTPSession: PacketSink {
  func receive(_ packet: RawSpan, _ kind: PacketInput.Kind, now: MonotonicInstant) -> Bool {
    switch kind {
    case .rtp: return receiveRTP(packet, now: now)
    case .rtcp:
      receiveRTCP(packet, now: now)
      return true
    }
  }

  private func receiveRTP(_ packet: RawSpan, now: MonotonicInstant) -> Bool {
    guard let header = try? RTPHeader(parsing: packet) else {
      counters.packetsRefused += 1
      return false
    }
    counters.packetsReceived += 1
    counters.bytesReceived += UInt64(packet.byteCount)
    noteArrival(header, packet: packet, now: now)
    incoming.receive(header, packet: packet, roundTrip: roundTrips.assumed, now: now)
    if let digit = incoming.takeDigit() { events.report(digit: digit) }
    incoming.deliverFrames(now: now)
    sendFeedback(now: now)
    return true
  }

  private func noteArrival(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    let isDue = receiveSide.receive(header, packet: packet, roundTrip: roundTrips.assumed, now: now)
    if receiveSide.isLimitUrgent, incoming.videoSSRC != nil { sendReports(now: now) }
    if isDue { sendArrivals(media: header.ssrc, now: now) }
  }

  /// The rest of a compound after a malformed item is skipped.
  private func receiveRTCP(_ compound: RawSpan, now: MonotonicInstant) {
    var reader = RTCPReader()
    while let item = (try? reader.next(in: compound)) ?? nil { handle(item, in: compound, now: now) }
    guard isRunning else { return }
    outgoing.pace(through: output, now: now)
    reportEstimate(now: now)
  }

  private func handle(_ item: RTCPItem, in compound: RawSpan, now: MonotonicInstant) {
    switch item {
    case .senderReport(let ssrc, let info): incoming.receive(info, of: ssrc, now: now)
    case .reportBlock(_, let block): handle(block, now: now)
    case .pictureLossIndication(let media), .fullIntraRequest(let media, _):
      if media == outgoing.videoSSRC { requestLocalKeyFrame(forPeer: true, now: now) }
    case .nack(let media, let entry): resend(entry, of: media)
    case .receiverEstimatedMaximumBitrate(let bitrate, let sources):
      let others = outgoing.audioRate(unlessCoveredBy: sources, now: now)
      output.sendController.rate.noteReceiverEstimate(bitrate, beside: others, now: now)
    // The session ends through DTLS or consent.
    case .goodbye(let ssrc): incoming.noteGoodbye(of: ssrc)
    case .transportFeedback(let feedback): handle(feedback, in: compound, now: now)
    case .receiverReferenceTime(let reporter, let ntp): roundTrips.receive(ntp, from: reporter, now: now)
    case .receiverReferenceAnswer(let answer): handle(answer, now: now)
    }
  }

  private func handle(_ block: ReportBlock, now: MonotonicInstant) {
    if let sample = outgoing.receive(block, now: now) { adapt(roundTrip: sample, now: now) }
    // The video's losses count where there is video.
    if block.ssrc == outgoing.videoSSRC ?? outgoing.audioSSRC {
      output.sendController.rate.noteReportedLoss(block.fractionLost, now: now)
    }
  }

  private func handle(_ answer: ReferenceTimeAnswer, now: MonotonicInstant) {
    guard answer.ssrc == reporter, let sample = roundTrips.receive(answer, now: now) else { return }
    adapt(roundTrip: sample, now: now)
  }

  private func adapt(roundTrip sample: TimeSpan, now: MonotonicInstant) {
    let smoothed = roundTrip ?? sample
    roundTrips.adapt(to: sample, smoothed: smoothed)
    output.sendController.rate.noteRoundTrip(smoothed, sample: sample, now: now)
    incoming.adapt(roundTrip: roundTrips.assumed)
  }

  /// When connectivity checks should measure the round trip: a peer that does not report each packet reveals too little
  /// of queues otherwise.
  var pathMeasuring: PathMeasuring {
    guard isRunning, streams.sendsVideo, output.sendController.rate.feedback != .transportWide else { return .never }
    return output.sendController.rate.isLimited ? .always : .withFrames
  }

  /// Takes the round trip of a connectivity check.
  func notePathRoundTrip(_ sample: TimeSpan, now: MonotonicInstant) {
    guard isRunning else { return }
    output.sendController.rate.notePathRoundTrip(sample, now: now)
    outgoing.pace(through: output, now: now)
    reportEstimate(now: now)
  }

  /// Takes for how long a connectivity check has waited for its answer.
  func notePendingRoundTrip(_ span: TimeSpan, now: MonotonicInstant) {
    guard isRunning else { return }
    output.sendController.rate.notePendingRoundTrip(span, now: now)
    reportEstimate(now: now)
  }

  private func resend(_ entry: NackEntry, of media: SSRC) {
    guard streams.video?.feedback.contains(.nack) == true else { return }
    outgoing.queueResends(of: entry, of: media, minimumInterval: roundTrip ?? .milliseconds(20))
  }

  private func resend(lost transportNumber: Int64) {
    let roundTrip = roundTrip ?? .milliseconds(20)
    guard roundTrip <= Self.longestRepairRoundTrip, streams.video?.feedback.contains(.nack) == true else { return }
    // One requested meanwhile has just left again.
    outgoing.queueResend(ofLost: transportNumber, minimumInterval: roundTrip / 2)
  }

  private func handle(_ feedback: TransportFeedback, in compound: RawSpan, now: MonotonicInstant) {
    output.sendController.rate.beginFeedback()
    var cursor = TransportFeedbackCursor(feedback)
    let next = SequenceNumber(extended: output.sendController.nextTransportNumber)
    var left = Self.longestFeedback
    while left > 0, let arrival = cursor.next(in: compound) {
      left -= 1
      let number = output.sendController.nextTransportNumber + Int64(next.distance(to: arrival.sequenceNumber))
      output.sendController.rate.report(number: number, arrival: arrival.time, now: now)
      if arrival.time == nil { resend(lost: number) }
    }
    output.sendController.rate.endFeedback(now: now)
  }
}

// MARK: - RTCP

extension RTPSession {
  /// Sends NACKs and requests for key frames that are due.
  private func sendFeedback(now: MonotonicInstant) {
    guard isRunning, incoming.deadline <= now else { return }
    output.sendRTCP { (buffer) throws(InsufficientSpace) in
      let prefix = try writePrefix(into: &buffer)
      var rest = buffer._mutatingExtracting(prefix..<buffer.byteCount)
      let count = try incoming.writeFeedback(sender: reporter, roundTrip: roundTrips.assumed, now: now, into: &rest)
      return count.map { $0 + prefix }
    }
  }

  /// Reports to the peer the arrival times of packets since the last report.
  ///
  /// - Parameter media: a source of the peer; without one, that of its video or audio.
  private func sendArrivals(media: SSRC? = nil, now: MonotonicInstant) {
    guard isRunning else { return }
    let media = media ?? incoming.mediaSSRC ?? SSRC(0)
    output.sendRTCP { (buffer) throws(InsufficientSpace) in
      let prefix = try writePrefix(into: &buffer)
      var writer = ByteWriter(overwriting: &buffer, from: prefix, upTo: PacketOutput.maximumPacket)
      try receiveSide.writeArrivals(sender: reporter, media: media, to: &writer, now: now)
      return writer.count > 0 ? writer.count + prefix : nil
    }
  }

  /// Writes the reports that must precede feedback; returns their length.
  private func writePrefix(into buffer: inout MutableRawSpan) throws(InsufficientSpace) -> Int {
    guard !streams.usesReducedSizeRTCP else { return 0 }
    return try description.writePreamble(reporter: reporter, audio: outgoing.audioSSRC, into: &buffer)
  }

  /// Sends the regular reports, each second.
  private func sendReports(now: MonotonicInstant) {
    guard isRunning else { return }
    nextReport = now + Self.reportInterval
    reportEstimate(now: now)
    output.sendRTCP { (buffer) throws(InsufficientSpace) in
      var writer = ByteWriter(overwriting: &buffer)
      try writeReports(to: &writer, now: now)
      try receiveSide.writeLimit(sender: reporter, media: incoming.videoSSRC, to: &writer)
      try writeReferenceTimes(to: &writer, now: now)
      return writer.count
    }
  }

  private func writeReports(to writer: inout ByteWriter, now: MonotonicInstant) throws(InsufficientSpace) {
    let blocks = incoming.makeReportBlocks(now: now)
    try outgoing.writeReports(with: blocks.list.span.extracting(0..<blocks.count), to: &writer, now: now)
    try description.write(reporter: reporter, audio: outgoing.audioSSRC, to: &writer)
  }

  private func writeReferenceTimes(to writer: inout ByteWriter, now: MonotonicInstant) throws(InsufficientSpace) {
    try roundTrips.writeAnswer(sender: reporter, to: &writer, now: now)
    guard !outgoing.hasSent, !incoming.isEmpty else { return }
    try roundTrips.writeQuestion(sender: reporter, to: &writer, now: now)
  }

  /// Takes leave of the peer (RFC 3550 §6.3.7).
  func sendGoodbye(now: MonotonicInstant) {
    guard isRunning else { return }
    output.sendRTCP { (buffer) throws(InsufficientSpace) in
      var writer = ByteWriter(overwriting: &buffer)
      try writeReports(to: &writer, now: now)
      try outgoing.writeGoodbyes(to: &writer)
      return writer.count
    }
  }
}
