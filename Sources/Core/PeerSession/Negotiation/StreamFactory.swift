import CongestionControl
import MediaCore
import RTP
import SDP
import TransportCrypto

/// Makes what carries the agreed streams.
struct StreamFactory {
  let streams: NegotiatedStreams
  let sources: LocalSources
  let crypto: any CryptoPrimitives

  func makeVideoSender(_ stream: NegotiatedStreams.Stream) -> VideoSender {
    let packetizer = VP8Packetizer(
      ssrc: SSRC(sources.video), payloadType: stream.payloadType,
      maximumPayloadSize: 1_120, firstSequenceNumber: firstSequenceNumber(),
      firstPictureID: UInt16(truncatingIfNeeded: crypto.randomUInt64()), hasTemporalLayers: true)
    let rtx = stream.rtxPayloadType.map {
      RTXEncapsulation(ssrc: SSRC(sources.rtx), payloadType: $0, firstSequenceNumber: firstSequenceNumber())
    }
    return VideoSender(
      packetizer: packetizer, rtx: rtx,
      extensions: OutgoingExtensions(stream.extensionBlock, stream.sendTimeExtensions),
      clock: RTPClock(rate: 90_000, offset: UInt32(truncatingIfNeeded: crypto.randomUInt64())))
  }

  func makeAudioSender(_ stream: NegotiatedStreams.Stream) -> AudioSender {
    let packetizer = OpusPacketizer(
      ssrc: SSRC(sources.audio), payloadType: stream.payloadType, firstSequenceNumber: firstSequenceNumber())
    return AudioSender(
      packetizer: packetizer, extensions: OutgoingExtensions(stream.extensionBlock, stream.sendTimeExtensions),
      levelID: stream.extensions.audioLevel,
      clock: RTPClock(rate: 48_000, offset: UInt32(truncatingIfNeeded: crypto.randomUInt64())))
  }

  /// Below 2^15, so that the first wrap comes late: some receivers of SRTP lose count at an early one (RFC 3711
  /// §3.3.1).
  private func firstSequenceNumber() -> SequenceNumber {
    SequenceNumber(UInt16(truncatingIfNeeded: crypto.randomUInt64() & 0x7FFF))
  }

  func makeRateEstimator(_ configuration: PeerSessionConfiguration) -> SendRateEstimator {
    SendRateEstimator(
      feedback: streams.rateFeedback, start: configuration.startRate,
      limits: configuration.leastRate...max(configuration.leastRate, sendLimit(configuration)))
  }

  /// What the peer wants to receive of video bounds all streams: it is worth heeding only where video is sent.
  private func sendLimit(_ configuration: PeerSessionConfiguration) -> Bitrate {
    guard streams.sendsVideo, let wanted = streams.video?.bandwidth else { return configuration.sendLimit }
    return min(configuration.sendLimit, wanted)
  }

  /// The peer's send limit where it cannot estimate it itself; nil where transport-wide feedback serves, or nothing is
  /// received.
  func makeReceiveEstimator(_ configuration: PeerSessionConfiguration) -> ReceiveRateEstimator? {
    guard streams.transportSequenceID == nil, streams.absoluteSendTimeID != nil, streams.takesReceiveLimit,
      streams.video?.receives == true
    else { return nil }
    let limits = configuration.leastRate...max(configuration.leastRate, configuration.receiveLimit)
    return ReceiveRateEstimator(start: configuration.startRate, limits: limits)
  }
}

extension NegotiatedStreams {
  /// How the peer reports what it receives: by the packet, by an estimate of its own, or only by losses.
  var rateFeedback: RateFeedback {
    if (video ?? audio)?.sendTimeExtensions.transportSequenceID != nil { return .transportWide }
    return takesReceiveLimit ? .receiverEstimate : .reports
  }
}

extension NegotiatedStreams.Stream {
  /// The extensions of every packet: the mid, by which receivers find the m-line (RFC 8843 §9.2), and the places of
  /// the values written when a packet leaves.
  var extensionBlock: RTPHeaderExtensionBlock {
    var block = RTPHeaderExtensionBlock()
    if let id = extensions.mid, !mid.isEmpty { unsafe block.set(id, to: mid.span.bytes) }
    sendTimeExtensions.reserve(in: &block)
    return block
  }

  /// Values written to the stream's packets when they leave.
  ///
  /// Nothing where they are sent again without RTX: then a packet keeps its index, so it has to stay the same octet by
  /// octet, since a cipher's vector must not serve two packets that differ (RFC 7714 §8.1).
  var sendTimeExtensions: SendTimeExtensions {
    if feedback.contains(.nack), rtxPayloadType == nil { return SendTimeExtensions() }
    return SendTimeExtensions(
      transportSequenceID: extensions.transportWideSequenceNumber, absoluteSendTimeID: extensions.absoluteSendTime)
  }
}
