public import MediaCore
public import TransportCrypto

/// The RTCP feedback that both sides agreed on for video.
public struct FeedbackTypes: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let nack = FeedbackTypes(rawValue: 1)
  public static let pictureLossIndication = FeedbackTypes(rawValue: 2)
  public static let fullIntraRequest = FeedbackTypes(rawValue: 4)
  /// REMB.
  public static let receiverEstimatedMaximumBitrate = FeedbackTypes(rawValue: 8)
  public static let transportWide = FeedbackTypes(rawValue: 16)

  /// The types with their names in `a=rtcp-fb`, in the order in which answers write them.
  static let names: [(FeedbackTypes, String)] = [
    (.receiverEstimatedMaximumBitrate, "goog-remb"), (.transportWide, "transport-cc"),
    (.fullIntraRequest, "ccm fir"), (.nack, "nack"), (.pictureLossIndication, "nack pli"),
  ]
}

/// The ids of header extensions that both sides know; nil where one does not.
public struct HeaderExtensionIDs: Sendable, Hashable {
  public var mid: UInt8?
  public var absoluteSendTime: UInt8?
  public var transportWideSequenceNumber: UInt8?
  public var audioLevel: UInt8?
  /// Names the stream of a simulcast that a packet belongs to (`rid`, RFC 8852).
  public var streamID: UInt8?

  public init(
    mid: UInt8? = nil, absoluteSendTime: UInt8? = nil, transportWideSequenceNumber: UInt8? = nil,
    audioLevel: UInt8? = nil, streamID: UInt8? = nil
  ) {
    self.mid = mid
    self.streamID = streamID
    self.absoluteSendTime = absoluteSendTime
    self.transportWideSequenceNumber = transportWideSequenceNumber
    self.audioLevel = audioLevel
  }
}

/// What was agreed for one media description.
public struct NegotiatedMedia: Sendable, Hashable {
  /// The index of the `m=` line.
  public var index: Int
  public var mid: String?
  public var kind: MediaKind
  /// Seen from this side.
  public var direction: MediaDirection
  /// VP8 or Opus.
  public var payloadType: UInt8
  public var rtxPayloadType: UInt8?
  public var extensionIDs: HeaderExtensionIDs
  public var feedback: FeedbackTypes
  public var usesReducedSizeRTCP: Bool
  /// The peer's sources, retransmissions left out; may be empty, then ``HeaderExtensionIDs/mid`` tells.
  public var remoteSSRCs: [UInt32]
  public var remoteRTXSSRC: UInt32?
  public var remoteCNAME: String?
  /// The peer's Opus decoder wants in-band FEC (RFC 7587 §6.1).
  public var wantsOpusFEC: Bool

  public init(
    index: Int, mid: String?, kind: MediaKind, direction: MediaDirection, payloadType: UInt8,
    rtxPayloadType: UInt8? = nil, extensionIDs: HeaderExtensionIDs = HeaderExtensionIDs(),
    feedback: FeedbackTypes = [], usesReducedSizeRTCP: Bool = false, remoteSSRCs: [UInt32] = [],
    remoteRTXSSRC: UInt32? = nil, remoteCNAME: String? = nil, wantsOpusFEC: Bool = false
  ) {
    self.index = index
    self.mid = mid
    self.kind = kind
    self.direction = direction
    self.payloadType = payloadType
    self.rtxPayloadType = rtxPayloadType
    self.extensionIDs = extensionIDs
    self.feedback = feedback
    self.usesReducedSizeRTCP = usesReducedSizeRTCP
    self.remoteSSRCs = remoteSSRCs
    self.remoteRTXSSRC = remoteRTXSSRC
    self.remoteCNAME = remoteCNAME
    self.wantsOpusFEC = wantsOpusFEC
  }
}

/// What was agreed for the one transport of all media.
public struct NegotiatedTransport: Sendable, Hashable {
  public var remoteUsernameFragment: String
  public var remotePassword: String
  public var remoteFingerprints: [CertificateFingerprint]
  /// All that the offer lists; see ``Candidate/isUsable``.
  public var remoteCandidates: [Candidate]
  public var hasAllRemoteCandidates: Bool
  /// The peer takes candidates after the answer (RFC 8838).
  public var canTrickle: Bool
  public var isRemoteLite: Bool
  /// This side's role.
  public var role: DTLSRole

  public init(
    remoteUsernameFragment: String, remotePassword: String, remoteFingerprints: [CertificateFingerprint],
    remoteCandidates: [Candidate] = [], hasAllRemoteCandidates: Bool = false, canTrickle: Bool = true,
    isRemoteLite: Bool = false, role: DTLSRole
  ) {
    self.remoteUsernameFragment = remoteUsernameFragment
    self.remotePassword = remotePassword
    self.remoteFingerprints = remoteFingerprints
    self.remoteCandidates = remoteCandidates
    self.hasAllRemoteCandidates = hasAllRemoteCandidates
    self.canTrickle = canTrickle
    self.isRemoteLite = isRemoteLite
    self.role = role
  }
}

/// An answer with what it agrees to.
public struct Answer: Sendable {
  public var sdp: String
  /// The accepted media descriptions.
  public var media: [NegotiatedMedia]
  public var transport: NegotiatedTransport
}
