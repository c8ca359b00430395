/// Cuts error and echo into frames of 20 ms that overlap by half, and joins frames to a signal again, 10 ms later.
struct OverlappedFrames: ~Copyable {
  /// The spectra of the newest frame: what the adaptive filter leaves, and the echo that it expects.
  let error = Spectrum(count: Audio.bins)
  let echo = Spectrum(count: Audio.bins)

  private let window = FloatBuffer(count: Audio.frame)
  private let lastError = FloatBuffer(count: Audio.block)
  private let lastEcho = FloatBuffer(count: Audio.block)
  private let overlap = FloatBuffer(count: Audio.block)
  private let samples = FloatBuffer(count: Audio.frame)

  /// The root of a Hann window, used twice.
  init() {
    for index in 0..<Audio.frame {
      window[index] = Float(Numeric.turn((Double(index) + 0.5) / Double(2 * Audio.frame)).sine)
    }
  }

  func analyse(
    error block: borrowing FloatBuffer, echo estimate: borrowing FloatBuffer, _ transform: borrowing RealTransform
  ) {
    analyse(block, after: lastError, into: error, transform)
    analyse(estimate, after: lastEcho, into: echo, transform)
  }

  private func analyse(
    _ block: borrowing FloatBuffer, after last: borrowing FloatBuffer, into spectrum: borrowing Spectrum,
    _ transform: borrowing RealTransform
  ) {
    samples.copy(last, count: Audio.block)
    samples.copy(block, to: Audio.block, count: Audio.block)
    last.copy(block, count: Audio.block)
    for lane in 0..<Audio.frame / 8 { samples[lanes: lane] = samples[lanes: lane] * window[lanes: lane] }
    transform.forward(samples, into: spectrum, bins: Audio.bins)
  }

  /// Joins a frame to those before and returns the 10 ms that are complete.
  func synthesize(
    _ spectrum: borrowing Spectrum, into block: borrowing FloatBuffer, _ transform: borrowing RealTransform
  ) {
    transform.inverse(spectrum, bins: Audio.bins, into: samples)
    for lane in 0..<Audio.block / 8 {
      block[lanes: lane] = overlap[lanes: lane] + samples[lanes: lane] * window[lanes: lane]
      let later = Audio.block / 8 + lane
      overlap[lanes: lane] = samples[lanes: later] * window[lanes: later]
    }
  }

  func reset() {
    lastError.fill()
    lastEcho.fill()
    overlap.fill()
  }
}
