import MediaCore
import TransportCrypto

/// Writes an answer's text: as many media descriptions as the offer has, in its order.
struct AnswerWriter {
  let offer: SDPSession
  let parameters: AnswerParameters
  let transport: NegotiatedTransport
  let accepted: [NegotiatedMedia]

  func text() -> String {
    var lines = sessionLines()
    for (index, media) in offer.media.enumerated() {
      if let agreed = accepted.first(where: { $0.index == index }) {
        lines += acceptedLines(media, agreed)
      } else {
        lines += refusedLines(media)
      }
    }
    return lines.map { $0 + "\r\n" }.joined()
  }

  private func sessionLines() -> [String] {
    var lines = [
      "v=0", "o=- \(parameters.sessionID) \(parameters.sessionVersion) IN IP4 127.0.0.1", "s=-", "t=0 0",
    ]
    let mids = accepted.compactMap(\.mid)
    if !offer.bundleGroups.isEmpty, !mids.isEmpty { lines.append("a=group:BUNDLE \(mids.joined(separator: " "))") }
    let streams = accepted.filter { $0.direction.sends }.compactMap { local($0.kind)?.streamID }
    if let stream = streams.first { lines.append("a=msid-semantic: WMS \(stream)") }
    return lines
  }

  private func local(_ kind: MediaKind) -> LocalMedia? { parameters.media.first { $0.kind == kind } }

  private func transportLines() -> [String] {
    var lines = ["a=ice-ufrag:\(parameters.iceUsernameFragment)", "a=ice-pwd:\(parameters.icePassword)"]
    if transport.canTrickle { lines.append("a=ice-options:trickle") }
    lines.append("a=fingerprint:\(parameters.fingerprint.sdp)")
    lines.append("a=setup:\(transport.role == .client ? "active" : "passive")")
    return lines
  }

  /// A refused description still names its formats and, for peers that insist, codecs and transport.
  private func refusedLines(_ media: SDPMedia) -> [String] {
    var lines = ["m=\(media.name) 0 \(media.protocolName) \(media.formats.joined(separator: " "))"]
    lines.append("c=IN IP4 0.0.0.0")
    lines += transportLines()
    if let mid = media.mid { lines.append("a=mid:\(mid)") }
    if media.kind != nil { lines.append("a=inactive") }
    lines += media.payloads.filter { !$0.encodingName.isEmpty }.map(mappingLine)
    return lines
  }

  private func mappingLine(_ payload: SDPPayload) -> String {
    let channels = payload.channels > 1 ? "/\(payload.channels)" : ""
    return "a=rtpmap:\(payload.payloadType) \(payload.encodingName)/\(payload.clockRate)\(channels)"
  }

  private func acceptedLines(_ media: SDPMedia, _ agreed: NegotiatedMedia) -> [String] {
    var payloadTypes = [agreed.payloadType]
    if let rtx = agreed.rtxPayloadType { payloadTypes.append(rtx) }
    let formats = payloadTypes.map { String($0) }.joined(separator: " ")
    var lines = ["m=\(media.name) 9 \(media.protocolName) \(formats)", "c=IN IP4 0.0.0.0", "a=rtcp:9 IN IP4 0.0.0.0"]
    if agreed.index == accepted.first?.index { lines += candidateLines() }
    lines += transportLines()
    if let mid = agreed.mid { lines.append("a=mid:\(mid)") }
    lines += extensionLines(agreed.extensionIDs)
    lines.append("a=\(agreed.direction.rawValue)")
    if agreed.direction.sends, let local = local(agreed.kind) {
      lines.append("a=msid:\(local.streamID) \(local.trackID)")
    }
    lines.append("a=rtcp-mux")
    if agreed.usesReducedSizeRTCP { lines.append("a=rtcp-rsize") }
    lines += codecLines(media, agreed)
    if agreed.direction.sends, let local = local(agreed.kind) { lines += sourceLines(local, agreed) }
    return lines
  }

  private func candidateLines() -> [String] {
    let lines = parameters.candidates.map { "a=\($0)" }
    return parameters.hasAllCandidates ? lines + ["a=end-of-candidates"] : lines
  }

  private func extensionLines(_ ids: HeaderExtensionIDs) -> [String] {
    let pairs = [
      (ids.audioLevel, MediaNegotiation.audioLevelURI), (ids.absoluteSendTime, MediaNegotiation.absoluteSendTimeURI),
      (ids.transportWideSequenceNumber, MediaNegotiation.transportWideURI), (ids.mid, MediaNegotiation.midURI),
      (ids.streamID, MediaNegotiation.streamIDURI),
    ]
    return pairs.compactMap { id, uri in id.map { "a=extmap:\($0) \(uri)" } }
  }

  private func codecLines(_ media: SDPMedia, _ agreed: NegotiatedMedia) -> [String] {
    let codec = media.payloads.first { $0.payloadType == agreed.payloadType }
    var lines = codec.map { [mappingLine($0)] } ?? []
    for (type, name) in FeedbackTypes.names where agreed.feedback.contains(type) {
      lines.append("a=rtcp-fb:\(agreed.payloadType) \(name)")
    }
    if agreed.kind == .audio { lines.append("a=fmtp:\(agreed.payloadType) minptime=10;useinbandfec=1") }
    if let rtx = agreed.rtxPayloadType {
      lines.append("a=rtpmap:\(rtx) rtx/\(codec?.clockRate ?? 90_000)")
      lines.append("a=fmtp:\(rtx) apt=\(agreed.payloadType)")
    }
    return lines
  }

  private func sourceLines(_ local: LocalMedia, _ agreed: NegotiatedMedia) -> [String] {
    var lines: [String] = []
    var sources = [local.ssrc]
    if let rtx = local.rtxSSRC, agreed.rtxPayloadType != nil {
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
