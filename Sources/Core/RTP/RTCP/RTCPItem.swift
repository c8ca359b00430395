public import MediaCore

/// The sender information of a sender report (RFC 3550 §6.4.1).
public struct SenderInfo: Sendable, Hashable {
  /// When the report left.
  public var ntp: NTPTimestamp
  /// The same instant on the stream's RTP clock.
  public var rtpTimestamp: UInt32
  /// Packets sent since the source began; wraps.
  public var packetCount: UInt32
  /// Payload octets, without headers and padding.
  public var octetCount: UInt32

  /// Takes the values unchecked.
  public init(ntp: NTPTimestamp, rtpTimestamp: UInt32, packetCount: UInt32, octetCount: UInt32) {
    self.ntp = ntp
    self.rtpTimestamp = rtpTimestamp
    self.packetCount = packetCount
    self.octetCount = octetCount
  }
}

/// A report block: how one stream was received (RFC 3550 §6.4.1).
public struct ReportBlock: Sendable, Hashable {
  /// The stream reported on.
  public var ssrc: SSRC
  /// Loss since the last report, in 256ths.
  public var fractionLost: UInt8
  /// Packets lost in all, -8,388,608 to 8,388,607; negative when duplicates arrived.
  public var cumulativeLost: Int32
  /// The highest number that came, in the lower 16 bits, and in the upper ones how often numbers have wrapped.
  public var extendedHighestSequenceNumber: UInt32
  /// In units of the RTP clock.
  public var jitter: UInt32
  /// Compact NTP time of the last sender report, 0 when there was none.
  public var lastSenderReport: UInt32
  /// Time since then in 65,536ths of a second.
  public var delaySinceLastSenderReport: UInt32

  /// Takes the values unchecked.
  public init(
    ssrc: SSRC, fractionLost: UInt8, cumulativeLost: Int32, extendedHighestSequenceNumber: UInt32,
    jitter: UInt32,
    lastSenderReport: UInt32, delaySinceLastSenderReport: UInt32
  ) {
    self.ssrc = ssrc
    self.fractionLost = fractionLost
    self.cumulativeLost = cumulativeLost
    self.extendedHighestSequenceNumber = extendedHighestSequenceNumber
    self.jitter = jitter
    self.lastSenderReport = lastSenderReport
    self.delaySinceLastSenderReport = delaySinceLastSenderReport
  }
}

/// One entry of a generic NACK: up to 17 lost packets (RFC 4585 §6.2.1).
public struct NackEntry: Sendable, Hashable {
  /// PID, the first lost packet.
  public var first: SequenceNumber
  /// BLP: bit n set means that packet `first` + n + 1 is lost too.
  public var following: UInt16

  /// Takes the values unchecked.
  public init(first: SequenceNumber, following: UInt16) {
    self.first = first
    self.following = following
  }

  /// How many packets the entry names, 1 to 17.
  public var count: Int { 1 + following.nonzeroBitCount }

  /// The lost packet at `offset` (0 to 16) after the first, or nil when that one is not lost.
  public func number(at offset: Int) -> SequenceNumber? {
    guard offset != 0 else { return first }
    guard (1...16).contains(offset), following & 1 << UInt16(offset - 1) != 0 else { return nil }
    return first.advanced(by: offset)
  }
}

/// The sources that a REMB names, as far as they are kept: the first four.
public struct NamedSources: Sendable, Hashable {
  private var first: SSRC?
  private var second: SSRC?
  private var third: SSRC?
  private var fourth: SSRC?
  private var hasMore = false

  /// Names none.
  public init() {}

  mutating func append(_ source: SSRC) {
    if first == nil {
      first = source
    } else if second == nil {
      second = source
    } else if third == nil {
      third = source
    } else if fourth == nil {
      fourth = source
    } else {
      hasMore = true
    }
  }

  /// Whether the item applies to this source; without named sources it applies to all.
  public func covers(_ source: SSRC) -> Bool {
    first == nil || hasMore || source == first || source == second || source == third || source == fourth
  }
}

/// One piece of information from a compound RTCP packet.
public enum RTCPItem: Sendable, Hashable {
  case senderReport(SSRC, SenderInfo)
  /// A block of a sender or receiver report.
  case reportBlock(reporter: SSRC, ReportBlock)
  /// A source leaves.
  case goodbye(SSRC)
  /// PLI (RFC 4585 §6.3.1).
  case pictureLossIndication(media: SSRC)
  /// FIR (RFC 5104 §4.3.1); the number repeats when the request does.
  case fullIntraRequest(media: SSRC, number: UInt8)
  case nack(media: SSRC, NackEntry)
  /// REMB (draft-alvestrand-rmcat-remb): what the receiver thinks it can take of the sources that it names, together.
  case receiverEstimatedMaximumBitrate(Bitrate, of: NamedSources)
  /// When the packets of the transport arrived.
  case transportFeedback(TransportFeedback)
  /// RRTR: the clock of a party that may send no media (RFC 3611 §4.4).
  case receiverReferenceTime(reporter: SSRC, NTPTimestamp)
  /// DLRR: answers a receiver's reference time (RFC 3611 §4.5).
  case receiverReferenceAnswer(ReferenceTimeAnswer)
}

/// A sub-block of a DLRR report block (RFC 3611 §4.5).
public struct ReferenceTimeAnswer: Sendable, Hashable {
  /// The receiver that is answered.
  public var ssrc: SSRC
  /// Compact NTP time of its last reference time.
  public var lastReferenceTime: UInt32
  /// Time since then in 65,536ths of a second.
  public var delay: UInt32

  /// Takes the values unchecked.
  public init(ssrc: SSRC, lastReferenceTime: UInt32, delay: UInt32) {
    self.ssrc = ssrc
    self.lastReferenceTime = lastReferenceTime
    self.delay = delay
  }
}

/// RTCP packet types.
enum RTCPPacketType {
  static let senderReport: UInt8 = 200
  static let receiverReport: UInt8 = 201
  static let sourceDescription: UInt8 = 202
  static let goodbye: UInt8 = 203
  static let transportFeedback: UInt8 = 205
  static let payloadFeedback: UInt8 = 206
  static let extendedReport: UInt8 = 207
}

/// Feedback message types: transport layer (RFC 4585 §6.2) and payload specific (§6.3).
enum RTCPFeedbackType {
  static let genericNack: UInt8 = 1
  static let pictureLossIndication: UInt8 = 1
  static let fullIntraRequest: UInt8 = 4
  static let applicationLayer: UInt8 = 15
  static let transportWide: UInt8 = 15
}

/// Types of report blocks in an extended report (RFC 3611 §4).
enum ExtendedReportType {
  static let receiverReferenceTime: UInt8 = 4
  static let referenceAnswers: UInt8 = 5
}

/// The characters "REMB".
let rembIdentifier: UInt32 = 0x5245_4D42
