/// The generalized cross-correlation with phase transform (Knapp and Carter, 1976) of the reference with the captured
/// signal: 250 Hz to 4 kHz, for lags of 0 to 450 ms, in partitions of 10 ms. Allocates only when made.
struct CrossCorrelator: ~Copyable {
  private let reference = Spectrum(count: CrossCorrelator.partitions * CrossCorrelator.lanes * 8)
  private let correlation = Spectrum(count: CrossCorrelator.partitions * CrossCorrelator.lanes * 8)
  private let spectrum = Spectrum(count: CrossCorrelator.lanes * 8)
  private let playedPower = FloatBuffer(count: CrossCorrelator.lanes * 8)
  private let capturedPower = FloatBuffer(count: CrossCorrelator.lanes * 8)
  private let samples = FloatBuffer(count: Audio.frame)
  private let previous = FloatBuffer(count: Audio.block)
  private let inverse = RealTransform(count: 320)
  private let bins = Spectrum(count: Audio.lowLanes * 8)
  private var newest = 0

  static let partitions = 45
  /// Lags of a partition that ``lags(_:into:)`` returns, three samples apart.
  static let lagsPerPartition = 160
  private static let lanes = 11
  private static let band = 5...80
  private static let smoothing: Float = 0.9
  private static let leastPower: Float = 1e-4

  /// Takes a block of the reference.
  mutating func push(_ block: borrowing FloatBuffer, _ transform: borrowing RealTransform) {
    samples.copy(previous, count: Audio.block)
    samples.copy(block, to: Audio.block, count: Audio.block)
    previous.copy(block, count: Audio.block)
    transform.forward(samples, into: spectrum, bins: Self.lanes * 8)
    whiten(playedPower)
    newest = newest == 0 ? Self.partitions - 1 : newest - 1
    for lane in 0..<Self.lanes {
      reference.real[lanes: newest * Self.lanes + lane] = spectrum.real[lanes: lane]
      reference.imaginary[lanes: newest * Self.lanes + lane] = spectrum.imaginary[lanes: lane]
    }
  }

  /// Takes the block that was captured with the one pushed last. `keep`: how much of the correlation so far stays.
  mutating func correlate(_ block: borrowing FloatBuffer, keep: Float, _ transform: borrowing RealTransform) {
    samples.fill()
    samples.copy(block, to: Audio.block, count: Audio.block)
    transform.forward(samples, into: spectrum, bins: Self.lanes * 8)
    whiten(capturedPower)
    for partition in 0..<Self.partitions {
      let place = newest + partition
      let x = (place < Self.partitions ? place : place - Self.partitions) * Self.lanes
      let c = partition * Self.lanes
      for lane in 0..<Self.lanes {
        let (xr, xi) = (reference.real[lanes: x + lane], reference.imaginary[lanes: x + lane])
        let (dr, di) = (spectrum.real[lanes: lane], spectrum.imaginary[lanes: lane])
        correlation.real[lanes: c + lane] = keep * correlation.real[lanes: c + lane] + xr * dr + xi * di
        correlation.imaginary[lanes: c + lane] = keep * correlation.imaginary[lanes: c + lane] + xr * di - xi * dr
      }
    }
  }

  /// Leaves little of a bin but its phase.
  private func whiten(_ power: borrowing FloatBuffer) {
    for lane in 0..<Self.lanes {
      let now = spectrum.power(lane)
      power[lanes: lane] = Self.smoothing * power[lanes: lane] + (1 - Self.smoothing) * now
      let scale = 1 / (pointwiseMax(now, power[lanes: lane]) + Self.leastPower).squareRoot()
      spectrum.real[lanes: lane] = spectrum.real[lanes: lane] * scale
      spectrum.imaginary[lanes: lane] = spectrum.imaginary[lanes: lane] * scale
    }
  }

  /// The correlation at the lags of a partition, in the first ``lagsPerPartition`` places.
  func lags(_ partition: Int, into lags: borrowing FloatBuffer) {
    let first = partition * Self.lanes * 8
    bins.fill()
    for bin in Self.band {
      bins.real[bin] = correlation.real[first + bin]
      bins.imaginary[bin] = correlation.imaginary[first + bin]
    }
    inverse.inverse(bins, bins: Audio.lowBins, into: lags)
  }

  func reset() {
    reference.fill()
    correlation.fill()
    playedPower.fill()
    capturedPower.fill()
    previous.fill()
  }
}
