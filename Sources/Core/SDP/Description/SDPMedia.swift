public import MediaCore

/// One media description: an `m=` line and what belongs to it.
public struct SDPMedia: Sendable, Hashable {
  /// The token after `m=`.
  public var name: String
  /// Nil for anything but audio and video.
  public var kind: MediaKind?
  /// 0 means refused, unless ``isBundleOnly``.
  public var port: UInt16
  /// For example `UDP/TLS/RTP/SAVPF`.
  public var protocolName: String
  /// The formats of the `m=` line as written.
  public var formats: [String]
  /// The formats that are RTP payload types, in the order of the `m=` line, which is the order of preference.
  public var payloads: [SDPPayload]
  /// What the writer wants to receive at most: `b=TIAS` (RFC 3890), else `b=AS` (RFC 8866 §5.8); nil where neither says so.
  public var bandwidth: Bitrate? { transportIndependentBandwidth ?? applicationBandwidth }
  var transportIndependentBandwidth: Bitrate?
  var applicationBandwidth: Bitrate?
  /// `a=mid` (RFC 5888).
  public var mid: String?
  /// Who may send; both sides where nothing is said (RFC 8866 §6.7).
  public var direction = MediaDirection.sendrecv
  /// ICE and DTLS parameters, the session's included.
  public var transport = SDPTransport()
  /// `a=candidate` lines, in their order.
  public var candidates: [Candidate] = []
  /// `a=end-of-candidates` (RFC 8840).
  public var hasEndOfCandidates = false
  /// `a=extmap` lines, in their order.
  public var headerExtensions: [SDPHeaderExtension] = []
  /// `a=ssrc` lines, one entry a source.
  public var sources: [SDPSource] = []
  /// `a=ssrc-group` lines, in their order.
  public var sourceGroups: [SDPSourceGroup] = []
  /// `a=msid` lines, in their order.
  public var streams: [SDPStream] = []
  /// RTP and RTCP share a port (RFC 5761).
  public var isRTCPMux = false
  /// `a=crypto`: keys stand in the description itself (RFC 4568).
  public var hasSDESKeys = false
  /// `a=rtcp-rsize` (RFC 5506).
  public var isRTCPReducedSize = false
  /// Wanted only where the peer knows BUNDLE (RFC 9143 §6).
  public var isBundleOnly = false
  /// The ids of `a=rid` lines (RFC 8851).
  public var restrictionIDs: [String] = []
  /// The value of `a=simulcast`, unparsed (RFC 8853).
  public var simulcast: String?

  /// Whether the offerer uses this media description at all (RFC 8829 §5.3.1).
  public var isRefused: Bool { port == 0 && !isBundleOnly }

  /// - Parameters:
  ///   - name: the token after `m=`.
  ///   - formats: the rest of the line; payload types where the protocol is RTP.
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
  /// 0 to 127.
  public var payloadType: UInt8
  /// Empty where a static payload type has no `rtpmap`.
  public var encodingName = ""
  /// Ticks a second of RTP timestamps; 0 where there is no `rtpmap`.
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

  /// Compares case-insensitively (RFC 8866 §6.6).
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
  /// 1 to 14 in the one-byte form, to 255 in the other.
  public var id: UInt8
  /// Nil where not restricted.
  public var direction: MediaDirection?
  /// Names the extension.
  public var uri: String
}

/// What the `a=ssrc` lines say of one source (RFC 5576 §4.1).
public struct SDPSource: Sendable, Hashable {
  /// The source.
  public var ssrc: UInt32
  /// Its canonical name (RFC 5576 §6.1); nil where none is given.
  public var cname: String?
}

/// An `a=ssrc-group` line (RFC 5576 §4.2); `FID` pairs a source with its retransmission.
public struct SDPSourceGroup: Sendable, Hashable {
  /// `FID`, `SIM` …
  public var semantics: String
  /// Sources, in the order of the line.
  public var ssrcs: [UInt32]
}

/// An `a=msid` line (RFC 8830).
public struct SDPStream: Sendable, Hashable {
  /// `-` where the track belongs to no stream.
  public var streamID: String
  /// Nil where none is given.
  public var trackID: String?
}
