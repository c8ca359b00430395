import MediaCore
import RTP
import SDP

/// The streams that the peer sends: finds the stream of each packet, and hands on whole frames, in order, on the peer's
/// timeline.
///
/// Receivers live as long as the session, so that frame numbers continue. Confined to its thread.
final class IncomingStreams {
  private var streams = NegotiatedStreams([])
  private var video: VideoReceiver?
  private var audio: AudioReceiver?
  /// The retransmission stream's source, when the peer has named it.
  private var rtxSSRC: SSRC?
  private var telephoneEvents = TelephoneEventReceiver()
  private var digit: DTMFDigit?
  private var simulcast = SimulcastFilter()
  private var timeline = PeerTimeline()
  /// How far apart the peer's key frames should be at most.
  var keyFrameInterval: TimeSpan? { didSet { video?.keyFrameInterval = keyFrameInterval } }
  private let frames: any ReceivedFrameSink
  private let buffer = FrameBuffer()

  init(frames: any ReceivedFrameSink) { self.frames = frames }

  /// Applies the agreement: a source that is no longer received may give way to another.
  func follow(_ streams: NegotiatedStreams) {
    self.streams = streams
    if streams.audio?.receives != true { audio?.noteGoodbye() }
    if streams.video?.receives != true { video?.noteGoodbye() }
    if let ssrc = streams.video?.remoteRTXSSRC { rtxSSRC = SSRC(ssrc) }
  }

  var isEmpty: Bool { video == nil && audio == nil }

  var videoSSRC: SSRC? { video?.ssrc }

  /// A source of the peer that feedback on all packets can name.
  var mediaSSRC: SSRC? { videoSSRC ?? audio?.ssrc }

  var videoFrameCount: UInt64 { video?.frameCount ?? 0 }

  var audioFrameCount: UInt64 { audio?.frameCount ?? 0 }

  /// Packets that have not come, of the sources that are received now.
  var lossCount: Int64 { max(0, video?.lossCount ?? 0) + max(0, audio?.lossCount ?? 0) }

  /// How loud the last packet of sound was, as the peer says.
  var audioLevel: UInt8? { audio?.level ?? nil }
}

// MARK: - Packets

extension IncomingStreams {
  /// - Parameter roundTrip: what the receiver of a stream that begins plans with.
  func receive(_ header: RTPHeader, packet: RawSpan, roundTrip: TimeSpan, now: MonotonicInstant) {
    if streams.isTelephoneEvent(header, packet: packet) {
      receiveTelephoneEvent(header, packet: packet, now: now)
    } else if header.ssrc == video?.ssrc {
      guard streams.video?.receives == true else { return }
      video?.receive(header, packet: packet, now: now)
    } else if header.ssrc == audio?.ssrc {
      guard streams.audio?.receives == true else { return }
      audio?.receive(header, packet: packet, now: now, sink: frames)
    } else if header.ssrc == rtxSSRC {
      guard streams.video?.receives == true else { return }
      receiveRetransmission(header, packet: packet, now: now)
    } else {
      adopt(header, packet: packet, roundTrip: roundTrip, now: now)
    }
  }

  /// Comes from the source of the sound, in whose place it stands, or from one of its own.
  private func receiveTelephoneEvent(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    if header.ssrc == audio?.ssrc { audio?.receiveTelephoneEvent(header, packet: packet, now: now) }
    digit = telephoneEvents.receive(header, packet: packet, now: now) ?? digit
  }

  /// Takes the digit that the last packet carried.
  func takeDigit() -> DTMFDigit? { digit.take() }

  private func receiveRetransmission(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) {
    buffer.withBytes { scratch in
      video?.receiveRetransmission(header, packet: packet, scratch: &scratch, now: now)
    }
  }

  /// A source not seen before; in place of the old one it is that of a peer that has changed its track.
  private func adopt(_ header: RTPHeader, packet: RawSpan, roundTrip: TimeSpan, now: MonotonicInstant) {
    switch streams.route(header, packet: packet) {
    case .video:
      guard let stream = streams.video, adoptVideo(header, stream, packet: packet, now: now) else { return }
      video?.adapt(roundTrip: roundTrip)
      video?.receive(header, packet: packet, now: now)
    case .audio:
      guard let stream = streams.audio, adoptAudio(header.ssrc, stream, now: now) else { return }
      audio?.receive(header, packet: packet, now: now, sink: frames)
    case .retransmission:
      guard video != nil else { return }
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
    guard video == nil else {
      guard video?.change(to: header.ssrc, now: now) == true else { return false }
      // Its retransmissions come from another source as well.
      rtxSSRC = nil
      return true
    }
    video = VideoReceiver(
      ssrc: header.ssrc, payloadType: stream.payloadType, rtxPayloadType: stream.rtxPayloadType,
      feedback: stream.feedback, now: now)
    video?.keyFrameInterval = keyFrameInterval
    return true
  }

  private func adoptAudio(_ ssrc: SSRC, _ stream: NegotiatedStreams.Stream, now: MonotonicInstant) -> Bool {
    guard audio == nil else { return audio?.change(to: ssrc, now: now) == true }
    audio = AudioReceiver(
      ssrc: ssrc, payloadType: stream.payloadType, levelID: stream.extensions.audioLevel, now: now)
    return true
  }
}

// MARK: - Frames

extension IncomingStreams {
  /// When a frame is waited for no longer.
  var frameDeadline: MonotonicInstant {
    min(audio?.deadline ?? .distantFuture, video?.frameDeadline ?? .distantFuture)
  }

  func deliverFrames(now: MonotonicInstant) {
    audio?.deliver(to: frames, using: buffer, now: now)
    video?.deliver(to: frames, using: buffer, now: now)
  }
}

// MARK: - Reports and feedback

extension IncomingStreams {
  /// When a request to the peer is due.
  var feedbackDeadline: MonotonicInstant { video?.feedbackDeadline ?? .distantFuture }

  /// When ``writeFeedback(sender:roundTrip:now:into:)`` may have something, or lateness has to be checked again.
  var deadline: MonotonicInstant { video?.deadline ?? .distantFuture }

  func adapt(roundTrip: TimeSpan) { video?.adapt(roundTrip: roundTrip) }

  /// Requests a key frame with the next feedback.
  func wantKeyFrame() { video?.wantKeyFrame() }

  func receive(_ info: SenderInfo, of ssrc: SSRC, now: MonotonicInstant) {
    timeline.receive(info.ntp, now: now)
    if ssrc == video?.ssrc { video?.receive(info, timeline: timeline, now: now) }
    if ssrc == audio?.ssrc { audio?.receive(info, timeline: timeline, now: now) }
  }

  /// A peer that removes one track says BYE for its source.
  func noteGoodbye(of ssrc: SSRC) {
    if ssrc == video?.ssrc { video?.noteGoodbye() }
    if ssrc == audio?.ssrc { audio?.noteGoodbye() }
  }

  /// Writes the NACKs and requests for key frames that are due; nil when there are none.
  func writeFeedback(
    sender: SSRC, roundTrip: TimeSpan, now: MonotonicInstant, into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int? {
    try video?.writeFeedback(sender: sender, roundTrip: roundTrip, now: now, into: &buffer) ?? nil
  }

  /// The streams' statistics for reports.
  func makeReportBlocks(now: MonotonicInstant) -> ReportBlocks {
    var blocks = ReportBlocks()
    if let block = video?.makeReportBlock(now: now) ?? nil { blocks.append(block) }
    if let block = audio?.makeReportBlock(now: now) ?? nil { blocks.append(block) }
    return blocks
  }
}
