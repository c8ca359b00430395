import MediaCore
import RTP
import SDP

/// What offer and answer agreed for each kind of media, as the media path needs it.
struct NegotiatedStreams {
  struct Stream {
    var payloadType: UInt8
    var rtxPayloadType: UInt8?
    /// The payload types of digits.
    var telephoneEventTypes: [UInt8]
    /// The source of the peer's retransmissions, where the offer names it.
    var remoteRTXSSRC: UInt32?
    /// The octets of the description's name, by which packets find it.
    var mid: [UInt8]
    var extensions: HeaderExtensionIDs
    var feedback: FeedbackTypes
    /// What the peer wants to receive at most.
    var bandwidth: Bitrate?
    var sends: Bool
    var receives: Bool

    init(_ media: NegotiatedMedia) {
      payloadType = media.payloadType
      rtxPayloadType = media.rtxPayloadType
      telephoneEventTypes = media.telephoneEvents.map { $0.payloadType }
      remoteRTXSSRC = media.remoteRTXSSRC
      mid = Array((media.mid ?? "").utf8)
      extensions = media.extensionIDs
      feedback = media.feedback
      bandwidth = media.bandwidth
      sends = media.direction.sends
      receives = media.direction.receives
    }
  }

  let audio: Stream?
  let video: Stream?
  /// Cached, since it is needed for each frame.
  let sendsAudio: Bool
  let sendsVideo: Bool

  /// Feedback may go without a report before it, RFC 5506, if each description agreed.
  let usesReducedSizeRTCP: Bool

  /// The one id that transport-wide sequence numbers have in the BUNDLE; nil where they are not agreed.
  let transportSequenceID: UInt8?
  let midID: UInt8?
  let absoluteSendTimeID: UInt8?

  var sentKinds: Set<MediaKind> { Set(MediaKind.allCases.filter { $0 == .audio ? sendsAudio : sendsVideo }) }

  var receivedKinds: Set<MediaKind> {
    Set(MediaKind.allCases.filter { ($0 == .audio ? audio : video)?.receives == true })
  }

  /// The peer takes REMB.
  var takesReceiveLimit: Bool { video?.feedback.contains(.receiverEstimatedMaximumBitrate) == true }

  init(_ media: [NegotiatedMedia]) {
    audio = media.first { $0.kind == .audio }.map(Stream.init)
    video = media.first { $0.kind == .video }.map(Stream.init)
    sendsAudio = audio?.sends == true
    sendsVideo = video?.sends == true
    usesReducedSizeRTCP = media.allSatisfy { $0.usesReducedSizeRTCP }
    transportSequenceID = media.lazy.compactMap { $0.extensionIDs.transportWideSequenceNumber }.first
    midID = media.lazy.compactMap { $0.extensionIDs.mid }.first
    absoluteSendTimeID = media.lazy.compactMap { $0.extensionIDs.absoluteSendTime }.first
  }
}

// MARK: - Which description a packet belongs to

extension NegotiatedStreams {
  /// Whether a packet carries a digit (RFC 4733).
  func isTelephoneEvent(_ header: RTPHeader, packet: RawSpan) -> Bool {
    guard let audio, audio.receives, audio.telephoneEventTypes.contains(header.payloadType) else { return false }
    return names(audio, header, packet: packet)
  }

  /// What the source of a packet carries.
  enum Route {
    case audio, video, retransmission
  }

  /// Finds the description of a source not seen before: by its name, where the packet carries one, and by its payload
  /// type (RFC 8843 §9.2). Nil for kinds that are not received.
  func route(_ header: RTPHeader, packet: RawSpan) -> Route? {
    if let video, video.receives, names(video, header, packet: packet) {
      if header.payloadType == video.payloadType { return .video }
      if header.payloadType == video.rtxPayloadType { return .retransmission }
    }
    if let audio, audio.receives, header.payloadType == audio.payloadType, names(audio, header, packet: packet) {
      return .audio
    }
    return nil
  }

  /// Whether the packet names the description, or none.
  private func names(_ stream: Stream, _ header: RTPHeader, packet: RawSpan) -> Bool {
    guard let midID, let range = header.extensionElement(midID, in: packet) else { return true }
    return packet.extracting(range).holds(stream.mid)
  }
}

extension RawSpan {
  /// Whether these are the same octets.
  func holds(_ octets: [UInt8]) -> Bool {
    guard byteCount == octets.count else { return false }
    var reader = ByteReader(self)
    for octet in octets {
      guard (try? reader.readUInt8()) == octet else { return false }
    }
    return true
  }
}
