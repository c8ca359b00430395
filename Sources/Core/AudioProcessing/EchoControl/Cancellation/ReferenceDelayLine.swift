internal import MediaCore

/// The reference, kept for a second and read with any delay, also a fractional one.
struct ReferenceDelayLine: ~Copyable {
  private let ring = FloatBuffer(count: ReferenceDelayLine.capacity)
  private let stretch = FloatBuffer(count: Audio.block + ReferenceDelayLine.taps + 8)
  private let coefficients = FloatBuffer(count: ReferenceDelayLine.taps)
  private var written = 0

  private static let capacity = 65_536
  private static let taps = 16
  /// The furthest delay that can be read, in samples, for the block before the newest as well.
  static let farthest = 48_000.0

  mutating func append(_ block: borrowing FloatBuffer) {
    let start = written & (Self.capacity - 1)
    let first = min(Audio.block, Self.capacity - start)
    ring.copy(block, to: start, count: first)
    ring.copy(block, from: first, count: Audio.block - first)
    written &+= Audio.block
  }

  /// The block that ends `back` blocks before the newest, delayed by this many samples, from 0 to ``farthest``.
  func read(delay: Double, back: Int = 0, into block: borrowing FloatBuffer, at offset: Int = 0) {
    let kept = min(max(delay, Double(Self.taps)), Self.farthest)
    let whole = kept.rounded(.up)
    interpolate(Float(whole - kept))
    let start = written &- Audio.block &* (back + 1) &- Int(saturating: whole) &- (Self.taps / 2 - 1)
    copyStretch(from: start)
    for lane in stride(from: 0, to: Audio.block, by: 8) {
      var sum = Lanes.zero
      for tap in 0..<Self.taps { sum += coefficients[tap] * stretch.lanes(from: lane + tap) }
      block[lanes: (offset + lane) / 8] = sum
    }
  }

  private func copyStretch(from start: Int) {
    let count = Audio.block + Self.taps
    let begin = start & (Self.capacity - 1)
    let first = min(count, Self.capacity - begin)
    stretch.copy(ring, from: begin, count: first)
    stretch.copy(ring, from: 0, to: first, count: count - first)
  }

  /// A sinc under a squared cosine, for a place so far after a sample.
  private func interpolate(_ fraction: Float) {
    let sine = Float(Numeric.turn(Double(fraction) / 2).sine)
    for tap in 0..<Self.taps {
      let distance = fraction - Float(tap - (Self.taps / 2 - 1))
      let window = Float(Numeric.turn(Double(distance) / Double(2 * Self.taps)).cosine)
      let sign: Float = tap % 2 == (Self.taps / 2 - 1) % 2 ? 1 : -1
      let sinc = abs(distance) < 1e-5 ? 1 : sign * sine / (.pi * distance)
      coefficients[tap] = sinc * window * window
    }
  }

  mutating func reset() {
    ring.fill()
    written = 0
  }
}
