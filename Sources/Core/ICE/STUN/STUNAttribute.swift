import MediaCore

/// Where one attribute lies in a message (RFC 8489 §14): type, length, value, padding to four octets.
struct STUNAttribute {
  var type: STUNAttributeType
  /// Offset of the type field.
  var start: Int
  var value: Range<Int>
  /// Offset of the next attribute.
  var end: Int

  /// Octets of type and length.
  static let headerSize = 4

  /// Returns nil if the attribute reaches past the end of the message.
  init?(at offset: Int, in message: RawSpan) {
    var reader = ByteReader(message.extracting(offset..<message.byteCount))
    guard let code = try? reader.readUInt16(), let length = try? reader.readUInt16() else { return nil }
    type = STUNAttributeType(rawValue: code)
    start = offset
    value = (offset + Self.headerSize)..<(offset + Self.headerSize + Int(length))
    end = value.upperBound + (-Int(length) & 3)
    guard end <= message.byteCount else { return nil }
  }
}
