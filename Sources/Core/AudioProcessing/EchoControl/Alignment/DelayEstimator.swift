/// Measures the echo's lag behind playback, some nine times a second while something plays.
struct DelayEstimator: ~Copyable {
  /// Samples by which the echo lags, where several measurements agree; nil until known.
  private(set) var lag: Double?
  /// Whether something plays.
  private(set) var isPlaying = false
  /// Whether the last block ended a measurement that is clear and agrees with the one before.
  private(set) var hasMeasured = false

  private var correlator = CrossCorrelator()
  private let lags = FloatBuffer(count: 2 * CrossCorrelator.lagsPerPartition)
  private var next = 0
  private var highest: (peak: Float, place: Double) = (0, 0)
  private var sum: Float = 0
  private var candidate = 0.0
  private var agreeing = 0

  private static let partitionsPerBlock = 4
  /// The mean power of samples from which on something plays: -80 dB of full scale.
  private static let audible: Float = 1e-8
  /// How far a peak must stand out from the mean of all partitions' peaks.
  private static let prominence: Float = 3
  /// The tolerance of agreeing measurements, in samples.
  private static let tolerance = 48.0
  /// Measurements in a row that must agree before the first counts.
  private static let firstAgreements = 3
  private static let longMemory: Float = 0.985
  private static let shortMemory: Float = 0.95

  /// Takes a block of each side. `isHurried`: what was known is in doubt, so only the last moments count.
  mutating func add(
    played: borrowing FloatBuffer, captured: borrowing FloatBuffer, isHurried: Bool,
    _ transform: borrowing RealTransform
  ) {
    correlator.push(played, transform)
    isPlaying = played.power(Audio.block) > Self.audible
    hasMeasured = false
    guard isPlaying else { return }
    correlator.correlate(captured, keep: isHurried ? Self.shortMemory : Self.longMemory, transform)
    for _ in 0..<Self.partitionsPerBlock { search() }
  }

  private mutating func search() {
    correlator.lags(next, into: lags)
    var best = 0
    for index in 1..<CrossCorrelator.lagsPerPartition where abs(lags[index]) > abs(lags[best]) { best = index }
    let peak = abs(lags[best])
    sum += peak
    if peak > highest.peak { highest = (peak, Double(Audio.block * next) + 3 * (Double(best) + vertex(best))) }
    next += 1
    if next == CrossCorrelator.partitions { conclude() }
  }

  /// Where between its neighbours a parabola through a peak has its vertex.
  private func vertex(_ index: Int) -> Double {
    guard index > 0, index < CrossCorrelator.lagsPerPartition - 1 else { return 0 }
    let (low, peak, high) = (abs(lags[index - 1]), abs(lags[index]), abs(lags[index + 1]))
    let curve = low + high - 2 * peak
    return curve < 0 ? Double(min(max(0.5 * (low - high) / curve, -0.5), 0.5)) : 0
  }

  private mutating func conclude() {
    let isClear = highest.peak * Float(CrossCorrelator.partitions) > Self.prominence * sum
    agreeing = isClear && abs(highest.place - candidate) < Self.tolerance ? agreeing + 1 : 0
    candidate = highest.place
    if agreeing >= (lag == nil ? Self.firstAgreements : 1) {
      lag = candidate
      hasMeasured = true
    }
    highest = (0, 0)
    sum = 0
    next = 0
  }

  mutating func reset() {
    correlator.reset()
    lag = nil
    agreeing = 0
    (isPlaying, hasMeasured) = (false, false)
  }
}
