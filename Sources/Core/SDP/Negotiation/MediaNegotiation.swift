import MediaCore

/// Chooses codec, extensions and feedback for one media description of the peer, be it an offer's or an answer's.
enum MediaNegotiation {
  /// Returns the agreement, or nil when the media description cannot be used.
  ///
  /// - Parameters:
  ///   - direction: what this side would agree to.
  ///   - known: how the kind was agreed before in the session: payload types, extensions and feedback stay.
  static func negotiate(
    _ remote: SDPMedia, at index: Int, _ kind: MediaKind, _ direction: MediaDirection, known: NegotiatedMedia? = nil
  ) throws(ForbiddenChange) -> NegotiatedMedia? {
    guard remote.kind == kind else { return nil }
    // The codec of a known kind must not change: checked below.
    switch remote.refusal(as: kind) {
    case nil: break
    case .otherCodecs where known != nil: break
    case .portZero, .otherProtocol, .plainRTP, .sdes, .noMultiplexing, .otherCodecs, .notBundled: return nil
    }
    var agreed = known
    if let known {
      try check(known, in: remote)
      // Nothing is written under it, so the peer may leave it out.
      let offered = extensionIDs(of: remote, kind)
      if offered.streamID != known.extensionIDs.streamID { agreed?.extensionIDs.streamID = nil }
    } else {
      agreed = choose(from: remote, kind)
    }
    // No packet in flight depends on their numbers.
    agreed?.telephoneEvents = kind == .audio ? telephoneEvents(of: remote) : []
    agreed?.index = index
    agreed?.mid = remote.mid
    agreed?.protocolName = remote.protocolName
    agreed?.bandwidth = remote.bandwidth
    agreed?.direction = MediaDirection(
      sends: direction.sends && remote.direction.receives, receives: direction.receives && remote.direction.sends)
    agreed?.usesReducedSizeRTCP = remote.isRTCPReducedSize
    agreed?.takeSources(of: remote)
    return agreed
  }

  private static func choose(from remote: SDPMedia, _ kind: MediaKind) -> NegotiatedMedia? {
    guard let codec = remote.payloads.first(where: { $0.isSupported(kind) }) else { return nil }
    var agreed = NegotiatedMedia(
      index: 0, mid: nil, kind: kind, direction: .inactive, payloadType: codec.payloadType,
      rtxPayloadType: retransmission(of: codec, in: remote), extensionIDs: extensionIDs(of: remote, kind),
      feedback: feedback(of: codec, kind), wantsOpusFEC: codec.parameter("useinbandfec") == "1")
    agreed.matchTransportWide()
    return agreed
  }

  /// RFC 4588 §8.6: `apt` names the payload type that an RTX payload type repeats.
  private static func retransmission(of codec: SDPPayload, in remote: SDPMedia) -> UInt8? {
    let apt = String(codec.payloadType)
    return remote.payloads.first {
      $0.isCodec("rtx", clockRate: codec.clockRate) && $0.parameter("apt") == apt
    }?.payloadType
  }

  /// One for each clock; peers take that of the codec, or 8,000 Hz.
  private static func telephoneEvents(of remote: SDPMedia) -> [TelephoneEventFormat] {
    [48_000, 8_000].compactMap { rate in
      let payload = remote.payloads.first { $0.isCodec("telephone-event", clockRate: rate) }
      return payload.map { TelephoneEventFormat(payloadType: $0.payloadType, clockRate: rate) }
    }
  }

  private static func extensionIDs(of remote: SDPMedia, _ kind: MediaKind) -> HeaderExtensionIDs {
    var ids = HeaderExtensionIDs()
    for name in HeaderExtensionIDs.Name.allCases {
      let uri = HeaderExtensionIDs.uri(name)
      // Restricted extensions would need care with directions, and no peer restricts these.
      ids[name] = remote.headerExtensions.first { $0.uri == uri && ($0.direction ?? .sendrecv) == .sendrecv }?.id
    }
    if remote.mid == nil { ids.mid = nil }
    if kind == .video { ids.audioLevel = nil } else { ids.streamID = nil }
    return ids
  }

  private static func feedback(of codec: SDPPayload, _ kind: MediaKind) -> FeedbackTypes {
    var agreed: FeedbackTypes = []
    for (type, name) in FeedbackTypes.names where codec.feedback.contains(name) { agreed.insert(type) }
    return kind == .audio ? agreed.intersection(.transportWide) : agreed
  }

  /// Throws if the peer no longer has all that is in use, under the same numbers.
  private static func check(_ known: NegotiatedMedia, in remote: SDPMedia) throws(ForbiddenChange) {
    guard let codec = remote.payloads.first(where: { $0.payloadType == known.payloadType }),
      codec.isSupported(known.kind)
    else { throw .payloadType(known.payloadType) }
    if let rtx = known.rtxPayloadType, retransmission(of: codec, in: remote) != rtx { throw .payloadType(rtx) }
    let offered = extensionIDs(of: remote, known.kind)
    for name in HeaderExtensionIDs.Name.allCases where name != .streamID {
      guard let id = known.extensionIDs[name], offered[name] != id else { continue }
      throw .headerExtension(id: id)
    }
    guard feedback(of: codec, known.kind).isSuperset(of: known.feedback) else { throw .feedback(known.kind) }
  }
}

extension NegotiatedMedia {
  /// Numbers without feedback, or feedback without numbers, are of no use.
  mutating func matchTransportWide() {
    if extensionIDs.transportWideSequenceNumber == nil { feedback.remove(.transportWide) }
    if !feedback.contains(.transportWide) { extensionIDs.transportWideSequenceNumber = nil }
  }

  /// In one BUNDLE an id means the same in every description (RFC 8843 §9.1): what the offer numbers otherwise is not used.
  mutating func leaveOutExtensions(differingFrom other: NegotiatedMedia) {
    for name in Self.sharedExtensions {
      guard let id = other.extensionIDs[name], extensionIDs[name] != id else { continue }
      extensionIDs[name] = nil
    }
    matchTransportWide()
  }

  private static var sharedExtensions: [HeaderExtensionIDs.Name] {
    [.mid, .absoluteSendTime, .transportWideSequenceNumber]
  }

  fileprivate mutating func takeSources(of remote: SDPMedia) {
    let pairs = remote.sourceGroups.filter { $0.semantics == "FID" && $0.ssrcs.count == 2 }
    let repeating = pairs.map { $0.ssrcs[1] }
    remoteSSRCs = remote.sources.map { $0.ssrc }.filter { !repeating.contains($0) }
    remoteRTXSSRC = pairs.first { $0.ssrcs[0] == remoteSSRCs.first }?.ssrcs[1]
    remoteCNAME = remote.sources.first { $0.cname != nil }?.cname
  }
}
