extension SDPMedia {
  private static var maximumEntries: Int { 256 }

  /// Takes the attribute if it is known at media level; false when its value is malformed.
  mutating func take(_ name: String, _ value: String) -> Bool {
    switch name {
    case "mid": return takeMID(value)
    case "crypto": hasSDESKeys = true
    case "rtcp-mux": isRTCPMux = true
    case "rtcp-rsize": isRTCPReducedSize = true
    case "bundle-only": isBundleOnly = true
    case "end-of-candidates": hasEndOfCandidates = true
    case "candidate": takeCandidate(value)
    case "simulcast": simulcast = value
    case "rid": return takeRestriction(value)
    case "extmap": return takeExtension(value)
    case "msid": return takeStream(value)
    case "rtpmap": return takePayload(value) { $0.readMapping($1) }
    case "fmtp": return takePayload(value) { $0.readParameters($1) }
    case "rtcp-fb": return takeFeedback(value)
    case "ssrc": return takeSource(value)
    case "ssrc-group": return takeSourceGroup(value)
    default: break
    }
    return true
  }

  private mutating func takeMID(_ value: String) -> Bool {
    // Written back as it is, and named in `a=group` between blanks.
    guard isVisible(value), mid == nil else { return false }
    mid = value
    return true
  }

  /// Candidates of unknown kinds are ignored, so none is an error; those beyond the limit are dropped.
  private mutating func takeCandidate(_ value: String) {
    guard candidates.count < Self.maximumEntries, let candidate = Candidate(parsing: value) else { return }
    candidates.append(candidate)
  }

  private mutating func takeRestriction(_ value: String) -> Bool {
    guard let id = words(value).first, restrictionIDs.count < Self.maximumEntries else { return false }
    restrictionIDs.append(id)
    return true
  }

  private mutating func takeExtension(_ value: String) -> Bool {
    let fields = words(value)
    guard fields.count >= 2, headerExtensions.count < Self.maximumEntries else { return false }
    let (number, direction) = divide(fields[0], at: "/")
    guard let id: UInt16 = decimal(number), id > 0 else { return false }
    // Ids from 4,096 on stand for later choice (RFC 8285 §7); no packet carries them.
    guard id <= 255 else { return true }
    if let direction, MediaDirection(rawValue: direction) == nil { return false }
    headerExtensions.append(
      SDPHeaderExtension(
        id: UInt8(clamping: id), direction: direction.flatMap { MediaDirection(rawValue: $0) }, uri: fields[1]))
    return true
  }

  private mutating func takeStream(_ value: String) -> Bool {
    let fields = words(value)
    guard (1...2).contains(fields.count), streams.count < Self.maximumEntries else { return false }
    streams.append(SDPStream(streamID: fields[0], trackID: fields.count == 2 ? fields[1] : nil))
    return true
  }

  /// Payload types that the `m=` line does not list are ignored.
  private mutating func takePayload(_ value: String, _ read: (inout SDPPayload, String) -> Bool) -> Bool {
    let (format, rest) = divide(value, at: " ")
    guard let number: UInt8 = decimal(format), let rest else { return false }
    guard let index = payloads.firstIndex(where: { $0.payloadType == number }) else { return true }
    return read(&payloads[index], rest)
  }

  private mutating func takeFeedback(_ value: String) -> Bool {
    let (format, rest) = divide(value, at: " ")
    guard let rest else { return false }
    let number: UInt8? = decimal(format)
    guard number != nil || format == "*" else { return false }
    let feedback = words(rest).joined(separator: " ")
    for index in payloads.indices where number == nil || payloads[index].payloadType == number {
      guard payloads[index].feedback.count < 32 else { return false }
      payloads[index].feedback.append(feedback)
    }
    return true
  }

  private mutating func takeSource(_ value: String) -> Bool {
    let (number, attribute) = divide(value, at: " ")
    guard let ssrc: UInt32 = decimal(number) else { return false }
    let index = sources.firstIndex { $0.ssrc == ssrc } ?? sources.count
    if index == sources.count {
      guard sources.count < Self.maximumEntries else { return false }
      sources.append(SDPSource(ssrc: ssrc, cname: nil))
    }
    if let attribute, attribute.hasPrefix("cname:") { sources[index].cname = String(attribute.dropFirst(6)) }
    return true
  }

  private mutating func takeSourceGroup(_ value: String) -> Bool {
    let fields = words(value)
    let ssrcs = fields.dropFirst().compactMap { decimal($0) as UInt32? }
    guard let semantics = fields.first, ssrcs.count == fields.count - 1 else { return false }
    guard sourceGroups.count < Self.maximumEntries else { return false }
    sourceGroups.append(SDPSourceGroup(semantics: semantics, ssrcs: ssrcs))
    return true
  }
}

extension SDPPayload {
  /// Reads `name/rate[/channels]`.
  fileprivate mutating func readMapping(_ text: String) -> Bool {
    let fields = words(text).first?.split(separator: "/") ?? []
    guard (2...3).contains(fields.count), let rate: UInt32 = decimal(fields[1]), rate > 0 else { return false }
    encodingName = String(fields[0])
    clockRate = Int(clamping: rate)
    guard fields.count == 3 else { return true }
    guard let count: UInt8 = decimal(fields[2]), count > 0 else { return false }
    channels = Int(count)
    return true
  }

  fileprivate mutating func readParameters(_ text: String) -> Bool {
    parameters = text
    return true
  }
}
