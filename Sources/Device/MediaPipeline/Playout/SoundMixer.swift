internal import MediaCore

/// Adds up what is played at once, 10 ms at a time, and keeps the sum within full scale. Allocates only when made.
struct SoundMixer: ~Copyable {
  /// 10 ms at 48 kHz.
  static let frames = 480

  private let sum: UnsafeMutableBufferPointer<Float>
  private var limiter = Limiter()

  init(channels: Int) {
    sum = .allocate(capacity: Self.frames * channels)
    sum.initialize(repeating: 0)
  }

  deinit { sum.deallocate() }

  /// Adds interleaved samples of one source, from the block's beginning on.
  mutating func add(_ samples: UnsafeBufferPointer<Int16>) {
    for index in 0..<min(samples.count, sum.count) { sum[index] = sum[index] + Float(samples[index]) }
  }

  /// Writes the block, and begins the next.
  mutating func finish(into block: UnsafeMutableBufferPointer<Int16>) {
    for index in 0..<min(block.count, sum.count) {
      block[index] = Int16(nearest: limiter.limit(sum[index]))
      sum[index] = 0
    }
  }
}

/// Turns sound down at once where it would exceed full scale, and up again slowly.
struct Limiter {
  private var gain: Float = 1

  /// 1 dB below full scale.
  private static let threshold: Float = 29_204
  /// The gain is back within 0.2 s.
  private static let release: Float = 1 / 9_600

  mutating func limit(_ sample: Float) -> Float {
    gain = min(gain + Self.release, 1)
    let magnitude = abs(sample)
    if magnitude * gain > Self.threshold { gain = Self.threshold / magnitude }
    return sample * gain
  }
}
