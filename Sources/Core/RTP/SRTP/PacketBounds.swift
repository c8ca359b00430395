import MediaCore
internal import TransportCrypto

/// The fields of an RTP packet that its protection depends on.
struct RTPBounds {
  var sequenceNumber: UInt16
  var ssrc: UInt32
  /// Octets of the header with contributing sources and extension, which stay readable.
  var headerLength: Int

  init(_ packet: RawSpan) throws(PacketProtectionError) {
    do throws(UnexpectedEnd) {
      var reader = ByteReader(packet)
      let first = try reader.readUInt8()
      guard first >> 6 == 2 else { throw UnexpectedEnd() }
      try reader.skip(1)
      sequenceNumber = try reader.readUInt16()
      try reader.skip(4)
      ssrc = try reader.readUInt32()
      try reader.skip(4 * Int(first & 0x0F))
      if first & 0x10 != 0 {
        try reader.skip(2)
        try reader.skip(4 * Int(reader.readUInt16()))
      }
      headerLength = reader.offset
    } catch {
      throw .malformed
    }
  }
}

/// Octets of an RTCP packet that stay readable: the first header with the sender's SSRC.
public let clearRTCPLength = 8

/// The SSRC in the first header of a compound packet.
func senderSSRC(_ packet: RawSpan) throws(PacketProtectionError) -> UInt32 {
  do throws(UnexpectedEnd) {
    var reader = ByteReader(packet)
    guard try reader.readUInt8() >> 6 == 2 else { throw UnexpectedEnd() }
    try reader.skip(3)
    return try reader.readUInt32()
  } catch {
    throw .malformed
  }
}
