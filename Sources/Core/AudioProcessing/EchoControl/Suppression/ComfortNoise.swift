/// Fills what suppression empties with noise at the level of the remaining room noise, so that gating stays inaudible.
struct ComfortNoise {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func add(
    to spectrum: borrowing Spectrum, noise: borrowing FloatBuffer, floor: Float, gains: borrowing FloatBuffer
  ) {
    for lane in 0..<Audio.lanes {
      let missing = pointwiseMax(floor * floor - gains[lanes: lane] * gains[lanes: lane], Lanes.zero)
      // Windowed noise has half the power of what overlapping frames of random phase must have.
      let amplitude: Lanes = (2 * missing * noise[lanes: lane]).squareRoot()
      spectrum.real[lanes: lane] = spectrum.real[lanes: lane] + amplitude * random()
      spectrum.imaginary[lanes: lane] = spectrum.imaginary[lanes: lane] + amplitude * random()
    }
  }

  /// Eight numbers with a variance of one half.
  private mutating func random() -> Lanes {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    let bytes = unsafe unsafeBitCast(state, to: SIMD8<Int8>.self)
    return Lanes(bytes) * (1.224_744_9 / 128)
  }
}
