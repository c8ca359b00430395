import CongestionControl
import MediaCore
import RTP
import SDP
import TransportCrypto

extension PeerSession {
  // MARK: RTP

  func receiveRTP(_ datagram: inout MutableRawSpan, now: MonotonicInstant) -> Bool {
    let length = unprotect(&datagram, sourceOffset: 8) { (protection, bytes) throws(PacketProtectionError) in
      try protection.unprotectRTP(&bytes, length: bytes.byteCount)
    }
    guard let length else { return false }
    guard let header = try? RTPHeader(parsing: datagram.bytes.extracting(0..<length)) else {
      counters.packetsRefused += 1
      return false
    }
    counters.packetsReceived += 1
    counters.bytesReceived += UInt64(length)
    let packet = datagram.bytes.extracting(0..<length)
    noteArrival(header, packet: packet, now: now)
    route(header, packet: packet, now: now)
    deliverFrames(now: now)
    sendFeedback(now: now)
    return true
  }

  /// Turns a packet into plain text in place and returns its length, or nil if it is refused.
  ///
  /// - Parameter sourceOffset: where the packet's SSRC stands, outside of what is encrypted.
  private func unprotect(
    _ datagram: inout MutableRawSpan, sourceOffset: Int,
    _ body: (any PacketProtection, inout MutableRawSpan) throws(PacketProtectionError) -> Int
  ) -> Int? {
    guard let protection = output.protection, phase == .connected else { return nil }
    var reader = ByteReader(datagram.bytes)
    guard (try? reader.skip(sourceOffset)) != nil, let source = try? reader.readUInt32(), sources.admits(source),
      let length = try? body(protection, &datagram)
    else {
      counters.packetsRefused += 1
      return nil
    }
    sources.insert(source)
    return length
  }

  private func route(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    if header.ssrc == videoReceiver?.ssrc {
      guard negotiated.video?.receives == true else { return }
      videoReceiver?.receive(header, packet: packet, now: now)
    } else if header.ssrc == audioReceiver?.ssrc {
      guard negotiated.audio?.receives == true else { return }
      audioReceiver?.receive(header, packet: packet, now: now)
    } else if header.ssrc == rtxSSRC {
      guard negotiated.video?.receives == true else { return }
      receiveRetransmission(header, packet: packet, now: now)
    } else {
      adopt(header, packet: packet, now: now)
    }
  }

  private func receiveRetransmission(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    frameBuffer.withBytes { scratch in
      videoReceiver?.receiveRetransmission(header, packet: packet, scratch: &scratch, now: now)
    }
  }

  /// Notes what the packet tells about the path, whatever stream it belongs to.
  private func noteArrival(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    if let id = negotiated.absoluteSendTimeID, receiveRate != nil, let time = header.absoluteSendTime(id, in: packet) {
      let sent = sendTimes.unwrap(time)
      receiveRate?.receive(sent: sent, byteCount: packet.byteCount, roundTrip: assumedRoundTrip, now: now)
      if isReceiveLimitUrgent { sendReports(now: now) }
    }
    guard let id = negotiated.transportSequenceID, let number = header.transportSequenceNumber(id, in: packet) else {
      return
    }
    transportFeedback?.receive(number, now: now)
    if transportFeedback?.isDue(now: now) == true { sendTransportFeedback(media: header.ssrc, now: now) }
  }

  /// A source not seen before; in place of the old one it is that of a peer that has changed its track.
  private func adopt(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    switch negotiated.route(header, packet: packet) {
    case .video:
      guard let video = negotiated.video, adoptVideo(header, video, packet: packet, now: now) else { return }
      videoReceiver?.receive(header, packet: packet, now: now)
    case .audio:
      guard let audio = negotiated.audio, adoptAudio(header.ssrc, audio, now: now) else { return }
      audioReceiver?.receive(header, packet: packet, now: now)
    case .retransmission:
      guard videoReceiver != nil else { return }
      rtxSSRC = header.ssrc
      receiveRetransmission(header, packet: packet, now: now)
    case nil:
      break
    }
  }

  private func adoptVideo(
    _ header: RTPHeader, _ stream: NegotiatedStreams.Stream, packet: RawSpan, now: MonotonicInstant
  ) -> Bool {
    guard simulcast.admits(header, packet: packet, id: stream.extensions.streamID) else { return false }
    guard videoReceiver == nil else {
      guard videoReceiver?.change(to: header.ssrc, now: now) == true else { return false }
      // Its retransmissions come from another source as well.
      rtxSSRC = nil
      return true
    }
    videoReceiver = VideoReceiver(
      ssrc: header.ssrc, payloadType: stream.payloadType, rtxPayloadType: stream.rtxPayloadType,
      feedback: stream.feedback, now: now)
    videoReceiver?.adapt(roundTrip: assumedRoundTrip)
    return true
  }

  private func adoptAudio(_ ssrc: SSRC, _ stream: NegotiatedStreams.Stream, now: MonotonicInstant) -> Bool {
    guard audioReceiver == nil else { return audioReceiver?.change(to: ssrc, now: now) == true }
    audioReceiver = AudioReceiver(
      ssrc: ssrc, payloadType: stream.payloadType, levelID: stream.extensions.audioLevel, now: now)
    return true
  }

  func deliverFrames(now: MonotonicInstant) {
    audioReceiver?.deliver(to: dependencies.frames, using: frameBuffer, timeline: timeline, now: now)
    videoReceiver?.deliver(to: dependencies.frames, using: frameBuffer, timeline: timeline, now: now)
  }

  // MARK: RTCP

  func receiveRTCP(_ datagram: inout MutableRawSpan, now: MonotonicInstant) -> Bool {
    let length = unprotect(&datagram, sourceOffset: 4) { (protection, bytes) throws(PacketProtectionError) in
      try protection.unprotectRTCP(&bytes, length: bytes.byteCount)
    }
    guard let length else { return false }
    let compound = datagram.bytes.extracting(0..<length)
    var reader = RTCPReader()
    while let item = (try? reader.next(in: compound)) ?? nil { handle(item, in: compound, now: now) }
    pace(now: now)
    reportEstimate(now: now)
    return true
  }

  private func handle(_ item: RTCPItem, in compound: RawSpan, now: MonotonicInstant) {
    switch item {
    case .senderReport(let ssrc, let info): handle(info, of: ssrc, now: now)
    case .reportBlock(_, let block): handle(block, now: now)
    case .pictureLossIndication(let media), .fullIntraRequest(let media, _):
      if media == videoSender?.ssrc { requestLocalKeyFrame(now: now) }
    case .nack(let media, let entry): resend(entry, of: media)
    case .receiverEstimatedMaximumBitrate(let bitrate):
      output.sendController.rate.noteReceiverEstimate(bitrate, now: now)
    case .goodbye(let ssrc): handleGoodbye(of: ssrc)
    case .transportFeedback(let feedback): handle(feedback, in: compound, now: now)
    case .receiverReferenceTime(let reporter, let ntp): referenceTimes.receive(ntp, from: reporter, now: now)
    case .receiverReferenceAnswer(let answer): handle(answer, now: now)
    }
  }

  /// A peer that removes one track says BYE for its source; the session ends through DTLS or consent.
  private func handleGoodbye(of ssrc: SSRC) {
    if ssrc == videoReceiver?.ssrc { videoReceiver?.noteGoodbye() }
    if ssrc == audioReceiver?.ssrc { audioReceiver?.noteGoodbye() }
  }

  private func handle(_ info: SenderInfo, of ssrc: SSRC, now: MonotonicInstant) {
    timeline.receive(info.ntp, now: now)
    if ssrc == videoReceiver?.ssrc { videoReceiver?.receive(info, now: now) }
    if ssrc == audioReceiver?.ssrc { audioReceiver?.receive(info, now: now) }
  }

  private func handle(_ block: ReportBlock, now: MonotonicInstant) {
    let sample = videoSender?.receive(block, now: now) ?? audioSender?.receive(block, now: now)
    if let sample { adapt(roundTrip: sample, now: now) }
    // The pictures' losses count where there are pictures.
    if block.ssrc == videoSender?.ssrc ?? audioSender?.ssrc {
      output.sendController.rate.noteReportedLoss(block.fractionLost, now: now)
    }
  }

  private func handle(_ answer: ReferenceTimeAnswer, now: MonotonicInstant) {
    guard answer.ssrc == reporter else { return }
    let sample = receiverRoundTrips.receive(answerTo: answer.lastReferenceTime, delay: answer.delay, now: now)
    if let sample { adapt(roundTrip: sample, now: now) }
  }

  private func adapt(roundTrip sample: TimeSpan, now: MonotonicInstant) {
    // A round trip that has grown counts at once: what is asked for too early comes twice.
    assumedRoundTrip = max(sample, roundTrip ?? sample)
    output.sendController.rate.noteRoundTrip(roundTrip ?? sample, sample: sample, now: now)
    videoReceiver?.adapt(roundTrip: assumedRoundTrip)
  }

  private func resend(_ entry: NackEntry, of media: SSRC) {
    guard media == videoSender?.ssrc, negotiated.video?.feedback.contains(.nack) == true else { return }
    let interval = roundTrip ?? .milliseconds(20)
    videoSender?.queueResends(of: entry, minimumInterval: interval)
  }
}
