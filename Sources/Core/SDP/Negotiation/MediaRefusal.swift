public import MediaCore

/// Why this side takes no part in a media description of the peer.
public enum MediaRefusal: Error, Hashable, Sendable {
  /// The peer does not want it itself.
  case portZero
  /// Neither RTP over DTLS nor anything that could be it.
  case otherProtocol(String)
  /// RTP without keys.
  case plainRTP
  /// Keys in the description (RFC 4568), which every intermediary can read.
  case sdes
  /// No `a=rtcp-mux` (RFC 5761).
  case noMultiplexing
  /// None of the codecs is the one that this side has; their names.
  case otherCodecs([String])
  /// Outside the BUNDLE group of the first accepted description.
  case notBundled
}

/// A media description that this side takes no part in.
public struct RefusedMedia: Hashable, Sendable {
  /// Audio or video.
  public var kind: MediaKind
  /// Why.
  public var reason: MediaRefusal

  /// Takes the values unchecked.
  public init(kind: MediaKind, reason: MediaRefusal) {
    self.kind = kind
    self.reason = reason
  }
}

extension RefusedMedia: CustomStringConvertible {
  private var codec: String { kind == .audio ? "Opus" : "VP8" }

  /// The refused description, the reason, and what is needed, for a log.
  public var description: String {
    switch reason {
    case .portZero: "\(kind.name) has port 0"
    case .otherProtocol(let name): "\(kind.name) has the protocol \(name), and UDP/TLS/RTP/SAVPF is needed"
    case .plainRTP: "\(kind.name) is RTP without encryption, and DTLS-SRTP is needed"
    case .sdes: "\(kind.name) has its keys in the description (SDES), and DTLS-SRTP is needed"
    case .noMultiplexing: "\(kind.name) has no a=rtcp-mux"
    case .otherCodecs([]): "\(kind.name) has no codec with a name, and \(codec) is needed"
    case .otherCodecs(let names): "\(kind.name) has \(names.joined(separator: ", ")), and \(codec) is needed"
    case .notBundled: "\(kind.name) has a transport of its own, outside the BUNDLE group (max-bundle is needed)"
    }
  }
}

extension SDPMedia {
  /// Why the description cannot be used, regardless of its bundle; nil if it can.
  func refusal(as kind: MediaKind) -> MediaRefusal? {
    if isRefused { return .portZero }
    if let refusal = protocolRefusal { return refusal }
    guard isRTCPMux else { return .noMultiplexing }
    guard payloads.contains(where: { $0.isSupported(kind) }) else { return .otherCodecs(codecNames) }
    return nil
  }

  /// With a fingerprint each of these names means DTLS-SRTP (RFC 8829 §5.1.2).
  private var protocolRefusal: MediaRefusal? {
    let hasFingerprint = !transport.fingerprints.isEmpty
    switch protocolName {
    case "UDP/TLS/RTP/SAVPF", "UDP/TLS/RTP/SAVP", "TCP/DTLS/RTP/SAVPF", "TCP/DTLS/RTP/SAVP": return nil
    case "RTP/SAVPF", "RTP/SAVP": return hasFingerprint || !hasSDESKeys ? nil : .sdes
    case "RTP/AVPF", "RTP/AVP": return hasFingerprint ? nil : hasSDESKeys ? .sdes : .plainRTP
    default: return .otherProtocol(isVisible(protocolName) ? String(protocolName.prefix(32)) : "?")
    }
  }

  /// For a log: some of the names, restricted to the characters of names.
  private var codecNames: [String] {
    var names: [String] = []
    for payload in payloads {
      let name = payload.encodingName.isEmpty ? payload.staticName ?? "" : payload.encodingName
      guard isToken(name), name.utf8.count <= 32, !Self.companions.contains(name.lowercased()) else { continue }
      if !names.contains(name), names.count < 8 { names.append(name) }
    }
    return names
  }

  /// Formats that carry nothing of their own.
  private static let companions: Set<String> = ["rtx", "red", "ulpfec", "flexfec-03", "telephone-event", "cn"]
}

extension SDPPayload {
  /// Whether it is the one codec of its kind that this side has. Some write Opus without its two channels (RFC 7587 §7).
  func isSupported(_ kind: MediaKind) -> Bool {
    switch kind {
    case .audio: isCodec("opus", clockRate: 48_000, channels: 2) || isCodec("opus", clockRate: 48_000)
    case .video: isCodec("VP8", clockRate: 90_000)
    }
  }

  /// The codecs of telephony may have no `rtpmap` (RFC 3551 §6).
  fileprivate var staticName: String? {
    switch payloadType {
    case 0: "PCMU"
    case 8: "PCMA"
    case 9: "G722"
    default: nil
    }
  }
}
