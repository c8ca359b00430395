public import MediaCore

/// Restores packets from a retransmission stream (RFC 4588 §4).
public enum RTXDecapsulation {
  /// Restores the packet that a received RTX packet repeats: writes it to the front of `buffer` and returns its length.
  ///
  /// Header extensions stay those of the RTX packet; padding goes. Returns nil for a packet without original (padding
  /// only, as senders probe bandwidth with).
  public static func unwrap(
    _ packet: RawSpan, header: RTPHeader, originalSSRC: SSRC, originalPayloadType: UInt8,
    into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int? {
    let payload = packet.extracting(header.payloadRange)
    var reader = ByteReader(payload)
    guard let number = try? reader.readUInt16(), let flags = try? ByteReader(packet).peekUInt8()
    else { return nil }
    var writer = ByteWriter(overwriting: &buffer)
    try writer.write(flags & ~0x20)
    try writer.write((header.marker ? 0x80 : 0) | originalPayloadType & 0x7F)
    try writer.write(number)
    try writer.write(header.timestamp)
    try writer.write(originalSSRC.rawValue)
    try writer.write(packet.extracting(12..<header.payloadRange.lowerBound))
    try writer.write(reader.readRemaining())
    return writer.count
  }
}
