/// Estimates the echo from the reference: a frequency-domain Kalman filter in partitions of 10 ms, up to 8 kHz.
///
/// Each bin of each partition is a state with a variance of its own. How fast it learns follows from that variance and from
/// the residual power, so it slows down by itself during near-end speech (Enzner and Vary,
/// "Frequency-domain adaptive Kalman filter for acoustic echo control in hands-free telephones", Signal Processing 86, 2006;
/// in partitions: Kuech, Mabande and Enzner, ICASSP 2014). Only bins up to 8 kHz of frames at 48 kHz are kept, so nothing
/// has to be resampled and nothing is delayed. Allocates only when made.
struct AdaptiveFilter: ~Copyable {
  let partitions: Int
  private let reference: Spectrum
  private let weights: Spectrum
  private let variance: FloatBuffer
  /// The smoothed residual power.
  private let disturbance = FloatBuffer(count: Audio.lowBins)
  /// The power that the errors of the weights make; while adapting the reciprocal of all that is expected.
  private let uncertainty = FloatBuffer(count: Audio.lowBins)
  private let constraint = RealTransform(count: 2 * AdaptiveFilter.partitionTaps)
  private let impulse = FloatBuffer(count: 2 * AdaptiveFilter.partitionTaps)
  private let bins = Spectrum(count: Audio.lowLanes * 8)
  private var newest = 0
  private var nextConstrained = 0

  /// Taps of a partition if it were sampled at 16 kHz.
  private static let partitionTaps = 160
  /// Partitions whose response is confined to their 10 ms with each block; all of them would cost five times as much.
  private static let constrainedPerBlock = 4
  /// How much of the disturbance's power stays from block to block.
  private static let smoothing: Float = 0.8
  /// How much of a weight's power is still right 10 ms later, where something plays.
  private static let permanence: Float = 0.9998
  /// The power of a bin from which on it counts as played.
  private static let playedPower: Float = 0.01
  private static let leastPower: Float = 1e-3
  /// Variances at first: of the direct path, of the first reflections, and how they decay from there.
  private static let directVariance: Float = 1
  private static let reflectedVariance: Float = 0.3
  private static let decay: Float = 0.75

  init(partitions: Int) {
    self.partitions = partitions
    let count = partitions * Audio.lowLanes * 8
    reference = Spectrum(count: count)
    weights = Spectrum(count: count)
    variance = FloatBuffer(count: count)
    expectAnything()
  }

  /// Resets the room; the reference stays.
  func forget() {
    weights.fill()
    disturbance.fill()
    expectAnything()
  }

  private func expectAnything() {
    var expected = Self.directVariance
    for partition in 0..<partitions {
      for lane in 0..<Audio.lowLanes { variance[lanes: partition * Audio.lowLanes + lane] = Lanes(repeating: expected) }
      expected = partition == 0 ? Self.reflectedVariance : expected * Self.decay
    }
  }

  /// Each weight may be wrong by this share of its power.
  func doubt(_ share: Float) {
    for lane in 0..<variance.laneCount {
      variance[lanes: lane] = pointwiseMax(variance[lanes: lane], share * weights.power(lane))
    }
  }

  /// Takes the spectrum of the newest two blocks that were played.
  mutating func push(_ frame: borrowing Spectrum) {
    newest = newest == 0 ? partitions - 1 : newest - 1
    for lane in 0..<Audio.lowLanes {
      reference.real[lanes: newest * Audio.lowLanes + lane] = frame.real[lanes: lane]
      reference.imaginary[lanes: newest * Audio.lowLanes + lane] = frame.imaginary[lanes: lane]
    }
  }

  /// Where the reference of a partition begins, in lanes.
  @inline(__always) private func start(_ partition: Int) -> Int {
    let place = newest + partition
    return (place < partitions ? place : place - partitions) * Audio.lowLanes
  }
}

// MARK: - Each block

extension AdaptiveFilter {
  /// The spectrum of the echo that is expected; the second half of its samples counts.
  func estimate(into echo: borrowing Spectrum) {
    echo.fill()
    uncertainty.fill()
    for partition in 0..<partitions {
      let x = start(partition)
      let w = partition * Audio.lowLanes
      for lane in 0..<Audio.lowLanes {
        let (xr, xi) = (reference.real[lanes: x + lane], reference.imaginary[lanes: x + lane])
        let (wr, wi) = (weights.real[lanes: w + lane], weights.imaginary[lanes: w + lane])
        echo.real[lanes: lane] = echo.real[lanes: lane] + (xr * wr - xi * wi)
        echo.imaginary[lanes: lane] = echo.imaginary[lanes: lane] + (xr * wi + xi * wr)
        uncertainty[lanes: lane] = uncertainty[lanes: lane] + 0.5 * (xr * xr + xi * xi) * variance[lanes: w + lane]
      }
    }
  }

  /// Learns from the spectrum of the captured signal less the estimate, the first half of its samples zero.
  mutating func adapt(_ error: borrowing Spectrum) {
    for lane in 0..<Audio.lowLanes {
      let unexplained = Self.smoothing * disturbance[lanes: lane] + (1 - Self.smoothing) * error.power(lane)
      disturbance[lanes: lane] = unexplained
      uncertainty[lanes: lane] = 1 / (uncertainty[lanes: lane] + unexplained + Self.leastPower)
    }
    for partition in 0..<partitions { adapt(partition, error) }
    for _ in 0..<Self.constrainedPerBlock {
      constrain(nextConstrained)
      nextConstrained = nextConstrained + 1 == partitions ? 0 : nextConstrained + 1
    }
  }

  @inline(__always) private func adapt(_ partition: Int, _ error: borrowing Spectrum) {
    let x = start(partition)
    let w = partition * Audio.lowLanes
    for lane in 0..<Audio.lowLanes {
      let (xr, xi) = (reference.real[lanes: x + lane], reference.imaginary[lanes: x + lane])
      let (er, ei) = (error.real[lanes: lane], error.imaginary[lanes: lane])
      let known = variance[lanes: w + lane]
      let step = known * uncertainty[lanes: lane]
      let wr = weights.real[lanes: w + lane] + step * (xr * er + xi * ei)
      let wi = weights.imaginary[lanes: w + lane] + step * (xr * ei - xi * er)
      weights.real[lanes: w + lane] = wr
      weights.imaginary[lanes: w + lane] = wi
      let power: Lanes = xr * xr + xi * xi
      let kept: Lanes = Self.permanence * (1 - 0.5 * step * power)
      // What does not play teaches nothing, so silence must not make the filter doubt itself.
      let activity: Lanes = pointwiseMin(power * (1 / Self.playedPower), Lanes(repeating: 1))
      let moved: Lanes = (1 - Self.permanence) * activity * (wr * wr + wi * wi)
      variance[lanes: w + lane] = kept * known + moved
    }
  }

  /// Confines the response of a partition to its 10 ms, which products of spectra do not.
  private func constrain(_ partition: Int) {
    let first = partition * Audio.lowLanes
    for lane in 0..<Audio.lowLanes {
      bins.real[lanes: lane] = weights.real[lanes: first + lane]
      bins.imaginary[lanes: lane] = weights.imaginary[lanes: first + lane]
    }
    bins.real[Audio.lowBins - 1] = 0
    constraint.inverse(bins, bins: Audio.lowBins, into: impulse)
    for lane in Self.partitionTaps / 8..<2 * Self.partitionTaps / 8 { impulse[lanes: lane] = .zero }
    constraint.forward(impulse, into: bins, bins: Audio.lowBins)
    for lane in 0..<Audio.lowLanes {
      weights.real[lanes: first + lane] = bins.real[lanes: lane]
      weights.imaginary[lanes: first + lane] = bins.imaginary[lanes: lane]
    }
  }
}
