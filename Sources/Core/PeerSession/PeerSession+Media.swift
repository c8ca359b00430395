import MediaCore
import RTP
import TransportCrypto

extension PeerSession {
  // MARK: RTP

  func receiveRTP(_ datagram: inout MutableRawSpan, now: MonotonicInstant) -> Bool {
    guard let protection = output.protection, phase == .connected else { return false }
    guard let length = try? protection.unprotectRTP(&datagram, length: datagram.byteCount),
      let header = try? RTPHeader(parsing: datagram.bytes.extracting(0..<length))
    else {
      counters.packetsRefused += 1
      return false
    }
    counters.packetsReceived += 1
    counters.bytesReceived += UInt64(length)
    route(header, packet: datagram.bytes.extracting(0..<length), now: now)
    deliverFrames(now: now)
    sendFeedback(now: now)
    return true
  }

  private func route(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    if header.ssrc == videoReceiver?.ssrc {
      videoReceiver?.receive(header, packet: packet, now: now)
    } else if header.ssrc == audioReceiver?.ssrc {
      audioReceiver?.receive(header, packet: packet, now: now)
    } else if header.ssrc == rtxSSRC {
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

  /// A source not seen before belongs to the m-line whose payload type it carries (RFC 8843 §9.2); a new source in
  /// place of the old one is a peer that has changed its track.
  private func adopt(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    if let video = negotiated.video, video.receives, header.payloadType == video.payloadType {
      videoReceiver = VideoReceiver(
        ssrc: header.ssrc, payloadType: video.payloadType, rtxPayloadType: video.rtxPayloadType)
      videoReceiver?.receive(header, packet: packet, now: now)
    } else if let audio = negotiated.audio, audio.receives, header.payloadType == audio.payloadType {
      audioReceiver = AudioReceiver(ssrc: header.ssrc, payloadType: audio.payloadType)
      audioReceiver?.receive(header, packet: packet, now: now)
    } else if let video = negotiated.video, header.payloadType == video.rtxPayloadType, videoReceiver != nil {
      rtxSSRC = header.ssrc
      receiveRetransmission(header, packet: packet, now: now)
    }
  }

  func deliverFrames(now: MonotonicInstant) {
    audioReceiver?.deliver(to: dependencies.frames, using: frameBuffer, timeline: timeline, now: now)
    videoReceiver?.deliver(to: dependencies.frames, using: frameBuffer, timeline: timeline, now: now)
  }

  // MARK: RTCP

  func receiveRTCP(_ datagram: inout MutableRawSpan, now: MonotonicInstant) -> Bool {
    guard let protection = output.protection, phase == .connected else { return false }
    guard let length = try? protection.unprotectRTCP(&datagram, length: datagram.byteCount) else {
      counters.packetsRefused += 1
      return false
    }
    let compound = datagram.bytes.extracting(0..<length)
    var reader = RTCPReader()
    while let item = (try? reader.next(in: compound)) ?? nil { handle(item, now: now) }
    return true
  }

  private func handle(_ item: RTCPItem, now: MonotonicInstant) {
    switch item {
    case .senderReport(let ssrc, let info): handle(info, of: ssrc, now: now)
    case .reportBlock(_, let block):
      videoSender?.receive(block, now: now)
      audioSender?.receive(block, now: now)
    case .pictureLossIndication(let media), .fullIntraRequest(let media, _):
      if media == videoSender?.ssrc { requestLocalKeyFrame(now: now) }
    case .nack(let media, let entry): resend(entry, of: media, now: now)
    case .receiverEstimatedMaximumBitrate(let bitrate): report(.bitrateLimited(bitrate))
    case .goodbye:
      // A peer that removes one track says BYE for its source; the session ends through DTLS or consent.
      break
    }
  }

  private func handle(_ info: SenderInfo, of ssrc: SSRC, now: MonotonicInstant) {
    timeline.receive(info.ntp, now: now)
    if ssrc == videoReceiver?.ssrc { videoReceiver?.receive(info, now: now) }
    if ssrc == audioReceiver?.ssrc { audioReceiver?.receive(info, now: now) }
  }

  private func resend(_ entry: NackEntry, of media: SSRC, now: MonotonicInstant) {
    guard media == videoSender?.ssrc else { return }
    let roundTrip = roundTrip ?? .milliseconds(20)
    let count = videoSender?.resend(entry, roundTrip: roundTrip, now: now, through: output) ?? 0
    counters.packetsResent += UInt64(count)
  }
}
