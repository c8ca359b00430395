import MediaCore

/// What a VP8 key frame says about itself (RFC 6386 §9.1).
public enum VP8KeyFrame {
  /// The frame size in pixels, or `nil` if the payload is not the start of a key frame.
  ///
  /// ```
  /// 3 bytes frame tag (bit 0 clear: key frame), 9D 01 2A, 14 bits width + 2 scale, 14 bits height + 2 scale
  /// ```
  public static func size(_ payload: RawSpan) -> (width: UInt16, height: UInt16)? {
    var reader = ByteReader(payload)
    guard let tag = try? reader.readUInt24(), tag >> 16 & 1 == 0, let start = try? reader.readUInt24(),
      start == 0x9D012A, let width = try? reader.readUInt16(), let height = try? reader.readUInt16()
    else { return nil }
    return (width.byteSwapped & 0x3FFF, height.byteSwapped & 0x3FFF)
  }
}
