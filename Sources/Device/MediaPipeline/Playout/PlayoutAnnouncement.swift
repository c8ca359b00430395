/// Two short tones, the second lower, that tell people near the device that a call begins.
struct PlayoutAnnouncement {
  private var tones = [ToneGenerator(frequency: 880, level: 0.2), ToneGenerator(frequency: 660, level: 0.2)]
  private var blocksLeft = Self.blocksPerTone

  /// Of 10 ms.
  private static let blocksPerTone = 20

  /// Fills a block of 10 ms of interleaved samples; returns false at the end.
  mutating func fill(_ samples: inout MutableSpan<Int16>, channels: Int) -> Bool {
    if blocksLeft == 0 {
      tones.removeFirst()
      blocksLeft = Self.blocksPerTone
    }
    guard !tones.isEmpty else { return false }
    blocksLeft -= 1
    tones[0].fill(&samples, channels: channels)
    return true
  }
}
