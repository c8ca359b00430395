internal import MediaCore

/// Whether a packet carries a coarse copy of the one before it (LBRR, RFC 6716 §4.2.3 and §4.2.4).
enum OpusRedundancy {
  /// Reads the flags of the packet's first frame, which are its first bits; only packets of one frame are examined.
  static func hasCopy(_ packet: RawSpan) -> Bool {
    var reader = ByteReader(packet)
    guard let toc = try? reader.readUInt8(), toc & 3 == 0, toc >> 3 < 16, let flags = try? reader.readUInt8()
    else { return false }
    let size = Int(toc >> 3 & 3)
    let frames = toc >> 3 < 12 ? max(1, size) : 1
    let isStereo = toc & 4 != 0
    let middle = flags & 0x80 >> UInt8(frames) != 0
    return middle || (isStereo && frames < 3 && flags & 0x80 >> UInt8(2 * frames + 1) != 0)
  }
}
