public import MediaCore

/// One media description: an `m=` line and what belongs to it.
public struct SDPMedia: Sendable, Hashable {
  /// The word after `m=`.
  public var name: String
  /// Nil for what is neither audio nor video.
  public var kind: MediaKind?
  /// 0 means refused, unless ``isBundleOnly``.
  public var port: UInt16
  /// For example `UDP/TLS/RTP/SAVPF`.
  public var protocolName: String
  /// The formats of the `m=` line as written.
  public var formats: [String]
  /// The formats that are RTP payload types, in the order of the `m=` line, which is the order of preference.
  public var payloads: [SDPPayload]
  public var mid: String?
  public var direction = MediaDirection.sendrecv
  public var transport = SDPTransport()
  public var candidates: [Candidate] = []
  public var hasEndOfCandidates = false
  public var headerExtensions: [SDPHeaderExtension] = []
  public var sources: [SDPSource] = []
  public var sourceGroups: [SDPSourceGroup] = []
  public var streams: [SDPStream] = []
  public var isRTCPMux = false
  public var isRTCPReducedSize = false
  public var isBundleOnly = false
  /// The ids of `a=rid` lines (RFC 8851).
  public var restrictionIDs: [String] = []
  /// The value of `a=simulcast`, unparsed (RFC 8853).
  public var simulcast: String?

  /// Whether the offerer wants this media description at all (RFC 8829 §5.3.1).
  public var isRefused: Bool { port == 0 && !isBundleOnly }

  public init(name: String, port: UInt16, protocolName: String, formats: [String]) {
    self.name = name
    self.port = port
    self.protocolName = protocolName
    self.formats = formats
    switch name {
    case "audio": kind = .audio
    case "video": kind = .video
    default: kind = nil
    }
    let isRTP = protocolName.split(separator: "/").contains("RTP")
    payloads = isRTP ? formats.compactMap { SDPPayload(format: $0) } : []
  }
}

/// An RTP payload type with what its `rtpmap`, `fmtp` and `rtcp-fb` lines say.
public struct SDPPayload: Sendable, Hashable {
  public var payloadType: UInt8
  /// Empty where a static payload type has no `rtpmap`.
  public var encodingName = ""
  public var clockRate = 0
  /// 1 where not given.
  public var channels = 1
  /// The value of `fmtp`, for example `minptime=10;useinbandfec=1`.
  public var parameters = ""
  /// The values of `rtcp-fb`, for example `nack pli`, those for all payload types included.
  public var feedback: [String] = []

  init?(format: String) {
    guard let number: UInt8 = decimal(format), number < 128 else { return nil }
    payloadType = number
  }

  /// Compares as RFC 8866 §6.6 asks for: encoding names know no case.
  public func isCodec(_ name: String, clockRate: Int, channels: Int = 1) -> Bool {
    encodingName.lowercased() == name.lowercased() && self.clockRate == clockRate && self.channels == channels
  }

  /// The value of one `fmtp` parameter.
  public func parameter(_ name: String) -> String? {
    for part in parameters.split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard let key = pair.first, trimmed(key).lowercased() == name else { continue }
      return pair.count == 2 ? trimmed(pair[1]) : ""
    }
    return nil
  }
}

/// An `a=extmap` line (RFC 8285 §5).
public struct SDPHeaderExtension: Sendable, Hashable {
  public var id: UInt8
  /// Nil where not restricted.
  public var direction: MediaDirection?
  public var uri: String
}

/// What the `a=ssrc` lines say of one source (RFC 5576 §4.1).
public struct SDPSource: Sendable, Hashable {
  public var ssrc: UInt32
  public var cname: String?
}

/// An `a=ssrc-group` line (RFC 5576 §4.2); `FID` pairs a source with its retransmission.
public struct SDPSourceGroup: Sendable, Hashable {
  public var semantics: String
  public var ssrcs: [UInt32]
}

/// An `a=msid` line (RFC 8830).
public struct SDPStream: Sendable, Hashable {
  public var streamID: String
  public var trackID: String?
}
