public import MediaCore

/// The payload of a telephone-event packet (RFC 4733 §2.3): a key of a telephone, held down for a while.
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// |     event     |E|R| volume    |          duration             |
/// ```
public struct TelephoneEvent: Sendable, Hashable {
  /// 0 to 15 are the keys 0 to 9, *, # and A to D.
  public var code: UInt8
  /// The event is over with this packet, which is sent three times.
  public var isEnd: Bool
  /// So far, in units of the RTP clock. A longer event continues as another one.
  public var duration: UInt16

  /// - Throws: when the payload is shorter than four octets. A further event after them is ignored.
  public init(parsing payload: RawSpan) throws(UnexpectedEnd) {
    var reader = ByteReader(payload)
    code = try reader.readUInt8()
    isEnd = try reader.readUInt8() & 0x80 != 0
    duration = try reader.readUInt16()
  }
}
