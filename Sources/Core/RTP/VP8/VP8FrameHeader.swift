import MediaCore

/// The first octets of a VP8 frame (RFC 6386 §9.1).
public struct VP8FrameHeader: Sendable, Hashable {
  /// Whether the frame refers to none before it.
  public var isKeyFrame: Bool
  /// Frame size in pixels without scaling bits; 0 for frames that are not key frames.
  public var width: UInt16
  /// See ``width``.
  public var height: UInt16

  /// Returns nil for anything but a VP8 frame: too short, or a key frame without its start code.
  public init?(parsing frame: RawSpan) {
    var reader = ByteReader(frame)
    guard let first = try? reader.readUInt8(), (try? reader.skip(2)) != nil else { return nil }
    // P is the inverse of "key frame".
    isKeyFrame = first & 0x01 == 0
    width = 0
    height = 0
    guard isKeyFrame else { return }
    guard let startCode = try? reader.readUInt24(), startCode == 0x9D012A else { return nil }
    guard let codedWidth = try? reader.readUInt16(), let codedHeight = try? reader.readUInt16()
    else { return nil }
    width = codedWidth.byteSwapped & 0x3FFF
    height = codedHeight.byteSwapped & 0x3FFF
  }
}
