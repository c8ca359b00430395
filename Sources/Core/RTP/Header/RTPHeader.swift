import MediaCore

/// Why an RTP packet was refused.
public enum RTPHeaderError: Error, Hashable, Sendable {
  /// The packet ends before its fixed header, its CSRC list or its header extension does.
  case shortHeader
  /// The version is not 2.
  case unsupportedVersion
  /// The padding count is 0 or longer than the data after the header.
  case invalidPadding
}

/// The header of an RTP packet (RFC 3550 §5.1), with the offsets of the following parts.
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// |V=2|P|X|  CC   |M|     PT      |       sequence number         |
/// |                           timestamp                           |
/// |           synchronization source (SSRC) identifier            |
/// |            contributing source (CSRC) identifiers             |
/// ```
///
/// Offsets count from the packet's first byte. The header holds no reference to the packet: methods that read
/// extensions are handed the same bytes again.
public struct RTPHeader: Sendable, Hashable {
  /// M: its meaning is the payload format's; the last packet of a frame for VP8.
  public var marker: Bool
  /// PT: 0 to 127, as the descriptions agree.
  public var payloadType: UInt8
  /// Grows by one a packet of its source.
  public var sequenceNumber: SequenceNumber
  /// When the payload was sampled, in units of the payload's clock; its origin is random.
  public var timestamp: UInt32
  /// The source.
  public var ssrc: SSRC
  /// Contributing sources, each four bytes from offset 12.
  public private(set) var csrcCount: Int
  /// The 16 bits that name the extension's form; 0xBEDE is the one-byte form (RFC 8285 §4.2).
  public private(set) var extensionProfile: UInt16
  /// The header extension's elements, without its four-byte head; empty when there is none.
  public private(set) var extensionRange: Range<Int>
  /// The payload without padding.
  public private(set) var payloadRange: Range<Int>

  /// A header to be written, without contributing sources.
  public init(marker: Bool = false, payloadType: UInt8, sequenceNumber: SequenceNumber, timestamp: UInt32, ssrc: SSRC) {
    self.marker = marker
    self.payloadType = payloadType
    self.sequenceNumber = sequenceNumber
    self.timestamp = timestamp
    self.ssrc = ssrc
    csrcCount = 0
    extensionProfile = 0
    extensionRange = 12..<12
    payloadRange = 12..<12
  }

  /// Parses the header of a whole packet.
  public init(parsing packet: RawSpan) throws(RTPHeaderError) {
    var reader = ByteReader(packet)
    let flags: UInt8
    do {
      flags = try reader.readUInt8()
      let second = try reader.readUInt8()
      marker = second & 0x80 != 0
      payloadType = second & 0x7F
      sequenceNumber = SequenceNumber(try reader.readUInt16())
      timestamp = try reader.readUInt32()
      ssrc = SSRC(try reader.readUInt32())
      csrcCount = Int(flags & 0x0F)
      try reader.skip(4 * csrcCount)
      (extensionProfile, extensionRange) = try Self.readExtension(isPresent: flags & 0x10 != 0, from: &reader)
    } catch {
      throw .shortHeader
    }
    guard flags >> 6 == 2 else { throw .unsupportedVersion }
    let padding = flags & 0x20 != 0 ? try Self.paddingCount(after: reader.offset, in: packet) : 0
    payloadRange = reader.offset..<packet.byteCount - padding
  }

  /// The same header, of a packet whose payload is ignored.
  public var withoutPayload: RTPHeader {
    var header = self
    header.payloadRange = payloadRange.lowerBound..<payloadRange.lowerBound
    return header
  }

  private static func readExtension(
    isPresent: Bool, from reader: inout ByteReader
  ) throws(UnexpectedEnd) -> (profile: UInt16, range: Range<Int>) {
    guard isPresent else { return (0, reader.offset..<reader.offset) }
    let profile = try reader.readUInt16()
    let byteCount = 4 * Int(try reader.readUInt16())
    let start = reader.offset
    try reader.skip(byteCount)
    return (profile, start..<start + byteCount)
  }

  /// The packet's last byte counts the padding, itself included (RFC 3550 §5.1).
  private static func paddingCount(after headerEnd: Int, in packet: RawSpan) throws(RTPHeaderError) -> Int {
    guard packet.byteCount > headerEnd,
      let last = try? ByteReader(packet).peekUInt8(ahead: packet.byteCount - 1)
    else { throw .invalidPadding }
    guard last > 0, Int(last) <= packet.byteCount - headerEnd else { throw .invalidPadding }
    return Int(last)
  }
}
