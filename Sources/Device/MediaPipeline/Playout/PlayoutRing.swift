internal import MediaCore

/// A clip that is played in a loop, with a pause after each time, until it is ended or for five minutes.
struct PlayoutRing {
  private let clip: SoundClip
  private let gain: Float
  private var current: PlayoutAnnouncement
  private var pauseLeft = PlayoutRing.pauseBlocks
  private var blocksLeft = PlayoutRing.maxBlocks

  /// 2 s of blocks of 10 ms.
  private static let pauseBlocks = 200
  private static let maxBlocks = 30_000

  init(_ clip: SoundClip, gain: Float) {
    self.clip = clip
    self.gain = gain
    current = PlayoutAnnouncement(clip, gain: gain)
  }

  var isOver: Bool { blocksLeft == 0 }

  /// Fills all of a block of interleaved samples.
  mutating func fill(_ block: UnsafeMutableBufferPointer<Int16>, channels: Int) {
    blocksLeft = max(0, blocksLeft - 1)
    if current.isFinished { pauseLeft -= 1 }
    if pauseLeft == 0 {
      current = PlayoutAnnouncement(clip, gain: gain)
      pauseLeft = Self.pauseBlocks
    }
    current.fill(block, channels: channels)
  }
}
