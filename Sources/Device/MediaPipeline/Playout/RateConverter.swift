internal import MediaCodecs
internal import MediaCore

/// Converts blocks of the mix to the rate of the card.
struct RateConverter: ~Copyable {
  private var resampler: AudioResampler
  private let channels: Int
  private let output: UnsafeMutableBufferPointer<Int16>

  init(channels: Int, to rate: Int) throws(AudioResamplerError) {
    resampler = try AudioResampler(
      channels: channels, inputRate: opusSampleRate, outputRate: rate, isCorrectable: false)
    self.channels = channels
    // A block at four times the rate, and what the filter held back.
    output = .allocate(capacity: (4 * SoundMixer.frames + 256) * channels)
    output.initialize(repeating: 0)
  }

  deinit { output.deallocate() }

  mutating func convert(_ block: UnsafeMutableBufferPointer<Int16>) -> UnsafeBufferPointer<Int16> {
    var space = output.mutableSpan
    let made = resampler.process(UnsafeBufferPointer(block).span, into: &space).made
    return UnsafeBufferPointer(rebasing: output[..<(made * channels)])
  }
}
