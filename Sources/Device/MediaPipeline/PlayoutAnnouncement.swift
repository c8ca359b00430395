/// Two short tones, the second lower, that tell people near the device that a call begins.
struct PlayoutAnnouncement {
  private var tones = [ToneGenerator(frequency: 880, level: 0.2), ToneGenerator(frequency: 660, level: 0.2)]
  private var packetsLeft = Self.packetsPerTone

  /// 20 ms at 48 kHz.
  private static let framesPerPacket = 960
  private static let packetsPerTone = 10

  /// Writes the next 20 ms to the front of interleaved samples and returns the frames, or nil at the end.
  mutating func fill(_ samples: inout MutableSpan<Int16>, channels: Int) -> Int? {
    if packetsLeft == 0 {
      tones.removeFirst()
      packetsLeft = Self.packetsPerTone
    }
    guard !tones.isEmpty else { return nil }
    packetsLeft -= 1
    tones[0].fill(&samples, channels: channels, frames: Self.framesPerPacket)
    return Self.framesPerPacket
  }
}
