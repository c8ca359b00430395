import MediaCore

/// The head of what travels on a channel (RFC 8656 §12.4); over a stream, data is padded to four octets.
///
///      0                   1                   2                   3
///      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///     |         Channel Number        |            Length             |
///     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
struct ChannelData {
  var channel: UInt16
  /// Octets of data, without padding.
  var length: Int

  /// Octets of the head.
  static let headSize = 4
  /// The numbers that this client uses, of those up to 0x4FFF.
  static let channels: ClosedRange<UInt16> = 0x4000...0x400F

  init(channel: UInt16, length: Int) {
    self.channel = channel
    self.length = length
  }

  /// Reads the head; nil if the number is not one of our channels.
  init?(head: RawSpan) {
    var reader = ByteReader(head)
    guard let channel = try? reader.readUInt16(), let length = try? reader.readUInt16(),
      Self.channels.contains(channel)
    else { return nil }
    self.init(channel: channel, length: Int(length))
  }

  /// Octets that follow the data over a stream.
  var padding: Int { -length & 3 }

  func write(to writer: inout ByteWriter) throws(InsufficientSpace) {
    try writer.write(channel)
    try writer.write(UInt16(truncatingIfNeeded: length))
  }
}
