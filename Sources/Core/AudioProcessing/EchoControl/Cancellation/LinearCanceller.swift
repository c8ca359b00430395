/// The adaptive filter and the reference delay line: removes the linear part of the echo.
struct LinearCanceller: ~Copyable {
  /// The residual of the newest block, and its expected echo.
  let error = FloatBuffer(count: Audio.block)
  let echo = FloatBuffer(count: Audio.block)
  /// The spectrum of the two blocks that were played last, as late as they come back, without a window.
  let reference = Spectrum(count: Audio.bins)
  var filter = AdaptiveFilter(partitions: LinearCanceller.partitions)

  /// The mean power of the current echo.
  var playedPower: Float { frame.power(Audio.frame) }

  private var line = ReferenceDelayLine()
  private let frame = FloatBuffer(count: Audio.frame)
  private let work = FloatBuffer(count: Audio.frame)
  private let expected = Spectrum(count: Audio.lowLanes * 8)
  private let remainder = Spectrum(count: Audio.lowLanes * 8)

  /// 250 ms of the room's response; later reverberation is left to the suppressor.
  private static let partitions = 25

  /// - Parameter delay: the reference's delay in samples before the filter.
  mutating func process(
    played: borrowing FloatBuffer, captured: borrowing FloatBuffer, delay: Double, _ transform: borrowing RealTransform
  ) {
    line.append(played)
    frame.copy(frame, from: Audio.block, to: 0, count: Audio.block)
    line.read(delay: delay, into: frame, at: Audio.block)
    transform.forward(frame, into: reference, bins: Audio.bins)
    filter.push(reference)
    subtract(captured, transform)
    transform.forward(work, into: remainder, bins: Audio.lowLanes * 8)
    filter.adapt(remainder)
  }

  /// Leaves the error in the second half of `work`, after silence.
  private func subtract(_ captured: borrowing FloatBuffer, _ transform: borrowing RealTransform) {
    filter.estimate(into: expected)
    transform.inverse(expected, bins: Audio.lowBins, into: work)
    echo.copy(work, from: Audio.block, count: Audio.block)
    for lane in 0..<Audio.block / 8 {
      error[lanes: lane] = captured[lanes: lane] - echo[lanes: lane]
      work[lanes: lane] = .zero
      work[lanes: Audio.block / 8 + lane] = error[lanes: lane]
    }
  }

  /// The reference has another delay from now on: refills the filter's memory.
  mutating func realign(delay: Double, _ transform: borrowing RealTransform) {
    for partition in stride(from: filter.partitions - 1, through: 0, by: -1) {
      line.read(delay: delay, back: partition + 1, into: frame, at: 0)
      line.read(delay: delay, back: partition, into: frame, at: Audio.block)
      transform.forward(frame, into: reference, bins: Audio.bins)
      filter.push(reference)
    }
  }

  mutating func reset(_ transform: borrowing RealTransform) {
    line.reset()
    frame.fill()
    filter.forget()
    realign(delay: 0, transform)
  }
}
