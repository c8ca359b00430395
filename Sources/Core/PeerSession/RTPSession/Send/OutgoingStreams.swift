import CongestionControl
import MediaCore
import RTP

/// The streams that this side sends: audio at once, video as the pacer allows.
///
/// They live as long as the session, so that sources, sequence numbers and timestamps continue: with the same keys no
/// number of a source may serve twice (RFC 3711 §9.1). Confined to the session's thread.
final class OutgoingStreams {
  private var video: VideoSender?
  private var audio: AudioSender?
  private var pacer = Pacer()

  var videoSSRC: SSRC? { video?.ssrc }

  var audioSSRC: SSRC? { audio?.ssrc }

  /// The source that feedback comes from, also when this side sends nothing.
  var reporter: SSRC { videoSSRC ?? audioSSRC ?? SSRC(1) }

  /// Applies the agreement; returns whether video begins, so that a key frame is needed.
  func follow(_ streams: NegotiatedStreams, _ making: StreamFactory) -> Bool {
    if let stream = streams.audio, stream.sends { follow(audio: stream, making) }
    guard let stream = streams.video, stream.sends else {
      video?.stop()
      pacer.stop()
      return false
    }
    guard video == nil else { return video?.resume(extensions: stream.extensionBlock) == true }
    video = making.makeVideoSender(stream)
    return true
  }

  private func follow(audio stream: NegotiatedStreams.Stream, _ making: StreamFactory) {
    if audio == nil {
      audio = making.makeAudioSender(stream)
    } else {
      audio?.resume(extensions: stream.extensionBlock)
    }
  }
}

// MARK: - Frames and packets

extension OutgoingStreams {
  func send(audio frame: EncodedFrameHeader, payload: RawSpan, now: MonotonicInstant, through output: PacketOutput) {
    audio?.send(frame, payload: payload, now: now, through: output)
  }

  /// Queues a frame and sends what may leave; returns whether a key frame is needed to continue.
  func send(
    video frame: EncodedFrameHeader, payload: FramePayload, now: MonotonicInstant, through output: PacketOutput
  ) -> Bool {
    let isStuck = video?.enqueue(frame, payload: payload, through: output, now: now) == false
    pace(through: output, now: now)
    // All viewers pay for a key frame: without a path it would be repeatedly in vain.
    guard isStuck, output.isOpen else { return false }
    return video?.wantsKeyFrame(pacedBy: output.sendController.budget, now: now) == true
  }

  func setVideoLayers(_ count: Int) { video?.setLayers(count) }

  func changeVideoSource() { video?.changeSource() }

  /// When the next packet may leave or a probe is due.
  func pacingDeadline(_ output: PacketOutput) -> MonotonicInstant {
    guard video != nil else { return .distantFuture }
    return pacer.deadline(of: video!, output.sendController)
  }

  /// Sends the packets that may leave now.
  func pace(through output: PacketOutput, now: MonotonicInstant) {
    guard video != nil else { return }
    pacer.send(&video!, through: output, now: now)
  }

  /// The audio rate over the last second, headers included; zero where an estimate of the peer covers it.
  func audioRate(unlessCoveredBy sources: NamedSources, now: MonotonicInstant) -> Bitrate {
    guard let audioSSRC, !sources.covers(audioSSRC) else { return Bitrate(bitsPerSecond: 0) }
    return audio?.rate(now: now) ?? Bitrate(bitsPerSecond: 0)
  }

  /// The share of the path that retransmitted video packets take.
  var resendRate: Bitrate { video?.resendRate ?? Bitrate(bitsPerSecond: 0) }

  var resentCount: UInt64 { video?.resentCount ?? 0 }
}

// MARK: - Reports

extension OutgoingStreams {
  /// Whether anything was sent, so that sender reports serve to measure the round trip.
  var hasSent: Bool { (video?.statistics.packetCount ?? 0) + (audio?.statistics.packetCount ?? 0) > 0 }

  var roundTrip: TimeSpan? { video?.statistics.roundTrip ?? audio?.statistics.roundTrip }

  /// Packets that the peer has missed so far, by its last report on each stream.
  var reportedLossCount: Int64 {
    let video = Int64(video?.statistics.lastReport?.cumulativeLost ?? 0)
    let audio = Int64(audio?.statistics.lastReport?.cumulativeLost ?? 0)
    return max(0, video) + max(0, audio)
  }

  /// The loss by the last reports, in 256ths, of the stream that fares worst; nil before the first.
  var reportedLoss: UInt8? {
    let video = video?.statistics.lastReport?.fractionLost
    let audio = audio?.statistics.lastReport?.fractionLost
    guard let video, let audio else { return video ?? audio }
    return max(video, audio)
  }

  /// Takes a report on a stream; returns the round trip that it shows, if any.
  func receive(_ block: ReportBlock, now: MonotonicInstant) -> TimeSpan? {
    (video?.receive(block, now: now) ?? nil) ?? (audio?.receive(block, now: now) ?? nil)
  }

  /// The loss of sound in percent, when it has changed since the last call.
  func takeAudioLossChange() -> Int? { audio?.takeLossChange() ?? nil }

  /// Puts the packets in the queue that a NACK names.
  ///
  /// - Parameter interval: a packet is not sent twice in such a time.
  func queueResends(of entry: NackEntry, of media: SSRC, minimumInterval interval: TimeSpan) {
    if media == videoSSRC { video?.queueResends(of: entry, minimumInterval: interval) }
  }

  /// Puts the packet in the queue that feedback reports as lost, if it is a video packet.
  func queueResend(ofLost transportNumber: Int64, minimumInterval interval: TimeSpan) {
    video?.queueResend(ofLost: transportNumber, minimumInterval: interval)
  }

  /// Writes a report of each stream that has sent, with `blocks` in the first; an empty one where none has.
  func writeReports(
    with blocks: Span<ReportBlock>, to writer: inout ByteWriter, now: MonotonicInstant
  ) throws(InsufficientSpace) {
    let videoInfo = video?.makeSenderInfo(now: now) ?? nil
    let audioInfo = audio?.makeSenderInfo(now: now) ?? nil
    guard let first = videoInfo ?? audioInfo else {
      return try RTCPWriter.writeReceiverReport(ssrc: reporter, blocks: blocks, to: &writer)
    }
    let firstSource = (videoInfo == nil ? audioSSRC : videoSSRC) ?? reporter
    try RTCPWriter.writeSenderReport(ssrc: firstSource, info: first, blocks: blocks, to: &writer)
    guard videoInfo != nil, let audioInfo, let audioSSRC else { return }
    try RTCPWriter.writeSenderReport(ssrc: audioSSRC, info: audioInfo, blocks: blocks.extracting(0..<0), to: &writer)
  }

  func writeGoodbyes(to writer: inout ByteWriter) throws(InsufficientSpace) {
    if let videoSSRC { try RTCPWriter.writeGoodbye(ssrc: videoSSRC, to: &writer) }
    if let audioSSRC { try RTCPWriter.writeGoodbye(ssrc: audioSSRC, to: &writer) }
  }
}
