/// A clip that is being played, in blocks.
struct PlayoutAnnouncement {
  private let clip: SoundClip
  private var position = 0

  init(_ clip: SoundClip) { self.clip = clip }

  var isFinished: Bool { position == clip.samples.count }

  /// Fills all of a block of interleaved samples, with silence after the clip's end.
  mutating func fill(_ block: UnsafeMutableBufferPointer<Int16>, channels: Int) {
    let frames = block.count / channels
    let count = min(frames, clip.samples.count - position)
    for frame in 0..<frames {
      let sample = frame < count ? clip.samples[position + frame] : 0
      for channel in 0..<channels { block[frame * channels + channel] = sample }
    }
    position += count
  }
}
