import MediaCore
import TransportCrypto

/// Writes the text of an offer or an answer.
struct DescriptionWriter {
  let sections: [MediaSection]
  let parameters: LocalParameters
  let setup: SDPSetup
  let canTrickle: Bool
  let isBundled: Bool
  /// All but the first description are refused by a peer that does not know BUNDLE (RFC 9143 §7.2).
  var isBundleOnly = false

  private var active: [NegotiatedMedia] { sections.compactMap { $0.media } }

  func text() -> String {
    var lines = sessionLines()
    for section in sections {
      switch section {
      case .active(let media): lines += activeLines(media)
      case .refused(let media): lines += refusedLines(media)
      }
    }
    return lines.map { $0 + "\r\n" }.joined()
  }

  private func sessionLines() -> [String] {
    var lines = [
      "v=0", "o=- \(parameters.sessionID) \(parameters.sessionVersion) IN IP4 127.0.0.1", "s=-", "t=0 0",
    ]
    let mids = active.compactMap { $0.mid }
    if isBundled, !mids.isEmpty { lines.append("a=group:BUNDLE \(mids.joined(separator: " "))") }
    let streams = active.filter { $0.direction.sends }.compactMap { local($0.kind)?.streamID }
    if let stream = streams.first { lines.append("a=msid-semantic: WMS \(stream)") }
    return lines
  }

  private func local(_ kind: MediaKind) -> LocalMedia? { parameters.media.first { $0.kind == kind } }

  private func transportLines() -> [String] {
    var lines = ["a=ice-ufrag:\(parameters.iceUsernameFragment)", "a=ice-pwd:\(parameters.icePassword)"]
    if canTrickle { lines.append("a=ice-options:trickle") }
    lines.append("a=fingerprint:\(parameters.fingerprint.sdp)")
    lines.append("a=setup:\(setup.rawValue)")
    return lines
  }

  /// A refused description still names its formats and, for peers that insist, codecs and transport.
  private func refusedLines(_ media: SDPMedia) -> [String] {
    var lines = ["m=\(media.name) 0 \(media.protocolName) \(media.formats.joined(separator: " "))"]
    lines.append("c=IN IP4 0.0.0.0")
    lines += transportLines()
    if let mid = media.mid { lines.append("a=mid:\(mid)") }
    // Some peers expect multiplexing in each description of media, refused ones too.
    if media.kind != nil { lines += ["a=inactive", "a=rtcp-mux"] }
    for payload in media.payloads where !payload.encodingName.isEmpty {
      let channels = payload.channels > 1 ? "/\(payload.channels)" : ""
      lines.append("a=rtpmap:\(payload.payloadType) \(payload.encodingName)/\(payload.clockRate)\(channels)")
      // Without its profile H.264 is another codec, and some peers expect a common one here, too.
      if !payload.parameters.isEmpty { lines.append("a=fmtp:\(payload.payloadType) \(payload.parameters)") }
    }
    return lines
  }

  private func activeLines(_ media: NegotiatedMedia) -> [String] {
    let isFirst = media.index == active.first?.index
    var lines = openingLines(media, isBundleOnly: isBundleOnly && !isFirst)
    if isFirst { lines += candidateLines() }
    lines += transportLines()
    if let mid = media.mid { lines.append("a=mid:\(mid)") }
    lines += extensionLines(media.extensionIDs)
    lines.append("a=\(media.direction.rawValue)")
    if media.direction.sends, let local = local(media.kind) {
      lines.append("a=msid:\(local.streamID) \(local.trackID)")
    }
    lines.append("a=rtcp-mux")
    if media.usesReducedSizeRTCP { lines.append("a=rtcp-rsize") }
    lines += codecLines(media)
    if media.direction.sends, let local = local(media.kind) { lines += sourceLines(local, media) }
    return lines
  }

  private func openingLines(_ media: NegotiatedMedia, isBundleOnly: Bool) -> [String] {
    let repair = media.rtxPayloadType.map { [$0] } ?? []
    let types = [media.payloadType] + repair + media.telephoneEvents.map { $0.payloadType }
    let formats = types.map { String($0) }
    let (port, more) = isBundleOnly ? (0, "a=bundle-only") : (9, "a=rtcp:9 IN IP4 0.0.0.0")
    return [
      "m=\(media.kind.name) \(port) \(media.protocolName) \(formats.joined(separator: " "))", "c=IN IP4 0.0.0.0", more,
    ]
  }

  private func candidateLines() -> [String] {
    let lines = parameters.candidates.map { "a=\($0)" }
    return parameters.hasAllCandidates ? lines + ["a=end-of-candidates"] : lines
  }

  private func extensionLines(_ ids: HeaderExtensionIDs) -> [String] {
    HeaderExtensionIDs.Name.allCases.compactMap { name in
      ids[name].map { "a=extmap:\($0) \(HeaderExtensionIDs.uri(name))" }
    }
  }

  private func codecLines(_ media: NegotiatedMedia) -> [String] {
    let (name, rate) = media.kind == .audio ? ("opus/48000/2", 48_000) : ("VP8/90000", 90_000)
    var lines = ["a=rtpmap:\(media.payloadType) \(name)"]
    for (type, name) in FeedbackTypes.names where media.feedback.contains(type) {
      lines.append("a=rtcp-fb:\(media.payloadType) \(name)")
    }
    if media.kind == .audio { lines.append("a=fmtp:\(media.payloadType) minptime=10;useinbandfec=1") }
    if let rtx = media.rtxPayloadType {
      lines.append("a=rtpmap:\(rtx) rtx/\(rate)")
      lines.append("a=fmtp:\(rtx) apt=\(media.payloadType)")
    }
    for format in media.telephoneEvents {
      lines.append("a=rtpmap:\(format.payloadType) telephone-event/\(format.clockRate)")
      // The keys of a telephone.
      lines.append("a=fmtp:\(format.payloadType) 0-15")
    }
    return lines
  }

  private func sourceLines(_ local: LocalMedia, _ media: NegotiatedMedia) -> [String] {
    var lines: [String] = []
    var sources = [local.ssrc]
    if let rtx = local.rtxSSRC, media.rtxPayloadType != nil {
      lines.append("a=ssrc-group:FID \(local.ssrc) \(rtx)")
      sources.append(rtx)
    }
    for ssrc in sources {
      lines.append("a=ssrc:\(ssrc) cname:\(local.cname)")
      lines.append("a=ssrc:\(ssrc) msid:\(local.streamID) \(local.trackID)")
    }
    return lines
  }
}
