import MediaCore

/// How long an Opus packet sounds, from its first octets (RFC 6716 §3.1, §3.2).
enum OpusPacketDuration {
  /// Zero for an empty packet; at most 120 ms.
  static func duration(of packet: RawSpan) -> TimeSpan {
    let reader = ByteReader(packet)
    guard let tableOfContents = try? reader.peekUInt8() else { return .zero }
    let frame = frameDuration(configuration: tableOfContents >> 3)
    let count = frameCount(code: tableOfContents & 3, second: (try? reader.peekUInt8(ahead: 1)) ?? 0)
    return min(frame * Int64(count), .milliseconds(120))
  }

  private static func frameDuration(configuration: UInt8) -> TimeSpan {
    switch configuration {
    case 0..<12: .milliseconds(configuration & 3 == 3 ? 60 : 10 << Int64(configuration & 3))
    case 12..<16: .milliseconds(configuration & 1 == 0 ? 10 : 20)
    default: .microseconds(2_500 << Int64(configuration & 3))
    }
  }

  private static func frameCount(code: UInt8, second: UInt8) -> UInt8 {
    switch code {
    case 0: 1
    case 3: second & 0x3F
    default: 2
    }
  }
}
