public import MediaCore

extension MediaKind {
  /// The word after `m=`.
  var name: String { self == .audio ? "audio" : "video" }
}

/// The RTCP feedback that both sides agreed on.
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

/// What was agreed for one media description.
public struct NegotiatedMedia: Sendable, Hashable {
  /// The index of the `m=` line.
  public var index: Int
  public var mid: String?
  public var kind: MediaKind
  /// For example `UDP/TLS/RTP/SAVPF`.
  public var protocolName: String
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
    index: Int, mid: String?, kind: MediaKind, protocolName: String = "UDP/TLS/RTP/SAVPF",
    direction: MediaDirection, payloadType: UInt8, rtxPayloadType: UInt8? = nil,
    extensionIDs: HeaderExtensionIDs = HeaderExtensionIDs(), feedback: FeedbackTypes = [],
    usesReducedSizeRTCP: Bool = false, remoteSSRCs: [UInt32] = [], remoteRTXSSRC: UInt32? = nil,
    remoteCNAME: String? = nil, wantsOpusFEC: Bool = false
  ) {
    self.index = index
    self.mid = mid
    self.kind = kind
    self.protocolName = protocolName
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
