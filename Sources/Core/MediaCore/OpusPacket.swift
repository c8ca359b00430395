/// What an Opus packet's first bytes say (RFC 6716 §3.1).
public enum OpusPacket {
  /// Samples at 48 kHz that the packet decodes to; 0 if it is malformed.
  public static func sampleCount(_ payload: RawSpan) -> Int {
    var reader = ByteReader(payload)
    guard let toc = try? reader.readUInt8() else { return 0 }
    switch toc & 3 {
    case 0: return frameSamples(toc)
    case 1, 2: return 2 * frameSamples(toc)
    default:
      guard let count = try? reader.readUInt8() else { return 0 }
      return min(Int(count & 0x3F) * frameSamples(toc), 5760)
    }
  }

  /// How long the packet sounds; zero if it is malformed.
  public static func duration(_ payload: RawSpan) -> TimeSpan {
    TimeSpan.seconds(Int64(sampleCount(payload))) / 48_000
  }

  /// Whether the packet was coded in stereo (RFC 6716 §3.1); false for an empty one.
  public static func isStereo(_ payload: RawSpan) -> Bool {
    var reader = ByteReader(payload)
    guard let toc = try? reader.readUInt8() else { return false }
    return toc & 4 != 0
  }

  private static func frameSamples(_ toc: UInt8) -> Int {
    let size = Int(toc >> 3 & 3)
    switch toc >> 3 {
    case 0..<12: return size == 3 ? 2880 : 480 << size
    case 12..<16: return 480 << (size & 1)
    default: return 120 << size
    }
  }
}
