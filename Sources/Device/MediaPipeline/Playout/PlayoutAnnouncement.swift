internal import MediaCore

/// A clip that is being played, in blocks.
struct PlayoutAnnouncement {
  private let clip: SoundClip
  private let gain: Float
  private var position = 0

  init(_ clip: SoundClip, gain: Float = 1) {
    self.clip = clip
    self.gain = gain
  }

  var isFinished: Bool { position == clip.samples.count }

  /// Fills all of a block of interleaved samples, with silence after the clip's end.
  mutating func fill(_ block: UnsafeMutableBufferPointer<Int16>, channels: Int) {
    let frames = block.count / channels
    let count = min(frames, clip.samples.count - position)
    for frame in 0..<frames {
      let sample = frame < count ? Int16(nearest: Float(clip.samples[position + frame]) * gain) : 0
      for channel in 0..<channels { block[frame * channels + channel] = sample }
    }
    position += count
  }
}
