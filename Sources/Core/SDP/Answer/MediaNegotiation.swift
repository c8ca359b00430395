import MediaCore

/// Chooses codec, extensions and feedback for one media description of an offer.
enum MediaNegotiation {
  static let midURI = "urn:ietf:params:rtp-hdrext:sdes:mid"
  static let absoluteSendTimeURI = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
  static let transportWideURI = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
  static let audioLevelURI = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
  static let streamIDURI = "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"

  /// Returns what is agreed, or nil when the media description has to be refused.
  static func negotiate(_ offer: SDPMedia, at index: Int, local: LocalMedia) -> NegotiatedMedia? {
    guard !offer.isRefused, offer.kind == local.kind, offer.isRTCPMux, isSupported(offer.protocolName) else {
      return nil
    }
    guard let codec = offer.payloads.first(where: { isSupported($0, kind: local.kind) }) else { return nil }
    let rtx = retransmission(of: codec, in: offer)
    var agreed = feedback(of: codec, kind: local.kind)
    var extensions = extensionIDs(of: offer, kind: local.kind)
    // Numbers without feedback, or feedback without numbers, are of no use.
    if extensions.transportWideSequenceNumber == nil { agreed.remove(.transportWide) }
    if !agreed.contains(.transportWide) { extensions.transportWideSequenceNumber = nil }
    let remote = remoteSources(of: offer)
    return NegotiatedMedia(
      index: index, mid: offer.mid, kind: local.kind,
      direction: MediaDirection(
        sends: local.sends && offer.direction.receives, receives: local.receives && offer.direction.sends),
      payloadType: codec.payloadType, rtxPayloadType: rtx,
      extensionIDs: extensions, feedback: agreed,
      usesReducedSizeRTCP: offer.isRTCPReducedSize, remoteSSRCs: remote.media, remoteRTXSSRC: remote.rtx,
      remoteCNAME: offer.sources.first { $0.cname != nil }?.cname,
      wantsOpusFEC: codec.parameter("useinbandfec") == "1")
  }

  private static func isSupported(_ protocolName: String) -> Bool {
    ["UDP/TLS/RTP/SAVPF", "TCP/DTLS/RTP/SAVPF", "RTP/SAVPF"].contains(protocolName)
  }

  private static func isSupported(_ payload: SDPPayload, kind: MediaKind) -> Bool {
    switch kind {
    case .audio: payload.isCodec("opus", clockRate: 48_000, channels: 2)
    case .video: payload.isCodec("VP8", clockRate: 90_000)
    }
  }

  /// RFC 4588 §8.6: `apt` names the payload type that an RTX payload type repeats.
  private static func retransmission(of codec: SDPPayload, in offer: SDPMedia) -> UInt8? {
    let apt = String(codec.payloadType)
    return offer.payloads.first {
      $0.isCodec("rtx", clockRate: codec.clockRate) && $0.parameter("apt") == apt
    }?.payloadType
  }

  private static func extensionIDs(of offer: SDPMedia, kind: MediaKind) -> HeaderExtensionIDs {
    func id(_ uri: String) -> UInt8? {
      // Restricted extensions would need care with directions, and nobody restricts these.
      offer.headerExtensions.first { $0.uri == uri && ($0.direction ?? .sendrecv) == .sendrecv }?.id
    }
    return HeaderExtensionIDs(
      mid: offer.mid == nil ? nil : id(midURI), absoluteSendTime: id(absoluteSendTimeURI),
      transportWideSequenceNumber: id(transportWideURI), audioLevel: kind == .audio ? id(audioLevelURI) : nil,
      streamID: kind == .video ? id(streamIDURI) : nil)
  }

  private static func feedback(of codec: SDPPayload, kind: MediaKind) -> FeedbackTypes {
    var agreed: FeedbackTypes = []
    for (type, name) in FeedbackTypes.names where codec.feedback.contains(name) { agreed.insert(type) }
    if kind == .audio { agreed.formIntersection(.transportWide) }
    return agreed
  }

  private static func remoteSources(of offer: SDPMedia) -> (media: [UInt32], rtx: UInt32?) {
    let pairs = offer.sourceGroups.filter { $0.semantics == "FID" && $0.ssrcs.count == 2 }
    let repeating = pairs.map { $0.ssrcs[1] }
    let media = offer.sources.map(\.ssrc).filter { !repeating.contains($0) }
    return (media, pairs.first { $0.ssrcs[0] == media.first }?.ssrcs[1])
  }
}

extension NegotiatedMedia {
  /// In one BUNDLE an id means the same in every description (RFC 8843 §9.1): what the offer numbers otherwise is not used.
  mutating func leaveOutExtensions(differingFrom other: NegotiatedMedia) {
    for path in Self.sharedExtensions {
      guard let id = other.extensionIDs[keyPath: path], extensionIDs[keyPath: path] != id else { continue }
      extensionIDs[keyPath: path] = nil
    }
    if extensionIDs.transportWideSequenceNumber == nil { feedback.remove(.transportWide) }
  }

  private static var sharedExtensions: [WritableKeyPath<HeaderExtensionIDs, UInt8?>] {
    [\.mid, \.absoluteSendTime, \.transportWideSequenceNumber]
  }
}
