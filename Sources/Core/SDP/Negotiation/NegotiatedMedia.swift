public import MediaCore

extension MediaKind {
  /// The token after `m=`.
  var name: String { self == .audio ? "audio" : "video" }
}

/// The RTCP feedback that both sides agreed on.
public struct FeedbackTypes: OptionSet, Sendable, Hashable {
  /// A bit for each type; internal, not on the wire.
  public let rawValue: UInt8

  /// Bits without a meaning are kept.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Generic NACK (RFC 4585 §6.2.1).
  public static let nack = FeedbackTypes(rawValue: 1)
  /// PLI (RFC 4585 §6.3.1).
  public static let pictureLossIndication = FeedbackTypes(rawValue: 2)
  /// FIR (RFC 5104 §4.3.1).
  public static let fullIntraRequest = FeedbackTypes(rawValue: 4)
  /// REMB.
  public static let receiverEstimatedMaximumBitrate = FeedbackTypes(rawValue: 8)
  /// Transport-wide feedback (draft-holmer-rmcat-transport-wide-cc-extensions-01).
  public static let transportWide = FeedbackTypes(rawValue: 16)

  /// The types with their names in `a=rtcp-fb`, in the order in which answers write them.
  static let names: [(FeedbackTypes, String)] = [
    (.receiverEstimatedMaximumBitrate, "goog-remb"), (.transportWide, "transport-cc"),
    (.fullIntraRequest, "ccm fir"), (.nack, "nack"), (.pictureLossIndication, "nack pli"),
  ]
}

/// A payload type of telephone-events (RFC 4733), which are digits that the peer sends among its sound.
public struct TelephoneEventFormat: Sendable, Hashable {
  /// 0 to 127.
  public var payloadType: UInt8
  /// 48,000 as Opus has, or 8,000.
  public var clockRate: Int
}

/// The agreement for one media description.
public struct NegotiatedMedia: Sendable, Hashable {
  /// The index of the `m=` line.
  public var index: Int
  /// `a=mid` (RFC 5888); nil where the peer gives none.
  public var mid: String?
  /// Audio or video.
  public var kind: MediaKind
  /// For example `UDP/TLS/RTP/SAVPF`.
  public var protocolName: String
  /// Seen from this side.
  public var direction: MediaDirection
  /// VP8 or Opus.
  public var payloadType: UInt8
  /// The payload type of retransmissions (RFC 4588); nil where they are not agreed.
  public var rtxPayloadType: UInt8?
  /// For audio; empty where the peer sends no digits.
  public var telephoneEvents: [TelephoneEventFormat] = []
  /// The header extensions that both sides know.
  public var extensionIDs: HeaderExtensionIDs
  /// The RTCP feedback that both sides know.
  public var feedback: FeedbackTypes
  /// Feedback may leave without a report before it (RFC 5506).
  public var usesReducedSizeRTCP: Bool
  /// The peer's sources without retransmissions; may be empty, then ``HeaderExtensionIDs/mid`` decides.
  public var remoteSSRCs: [UInt32]
  /// The source of the peer's retransmissions, as `a=ssrc-group:FID` says; nil where it does not.
  public var remoteRTXSSRC: UInt32?
  /// The peer's canonical name, from `a=ssrc`; nil where it gives none.
  public var remoteCNAME: String?
  /// What the peer wants to receive at most; nil where it does not say.
  public var bandwidth: Bitrate?
  /// The peer's Opus decoder uses in-band FEC (RFC 7587 §6.1).
  public var wantsOpusFEC: Bool

  /// Takes the values unchecked.
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
