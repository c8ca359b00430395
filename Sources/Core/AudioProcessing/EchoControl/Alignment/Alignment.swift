internal import MediaCore

/// Keeps the reference where the adaptive filter expects it: by the measured lag at first and after jumps, and by the
/// difference of the clocks, derived from the lag's drift, in between.
struct Alignment: ~Copyable {
  /// The reference's delay in samples before the filter.
  private(set) var delay = 0.0
  /// Samples by which the delay grows with each block, since the clocks differ.
  private(set) var drift = 0.0
  /// How far the expected echo may be believed, 0 to 1.
  private(set) var trust: Float = 0

  private var estimator = DelayEstimator()
  /// Where the strongest path lies in the filter, in samples; nil until it was found.
  private var offset: Double?
  private var isStarted = false
  /// The lag's last measured deviation from its target.
  private var difference = 0.0
  /// The last two measurements of it.
  private var recent = (0.0, 0.0)
  /// Blocks for which the filter has not fitted, while something played; negative to wait longer.
  private var misfits = 0
  /// Measurements in a row that lie elsewhere than expected.
  private var strays = 0
  /// Blocks for which a new filter is not trusted yet.
  private var unsettled = Alignment.settlingBlocks

  /// The filter begins this many samples before the strongest path.
  private static let margin = 288.0
  /// The reported delay may be too large by this many samples.
  private static let uncertainty = 2_400.0
  /// The strongest path may lie anywhere there.
  private static let suitable = 96.0...1_440.0
  private static let settlingBlocks = 50
  private static let misfitBlocks = 5
  private static let relearningBlocks = 60
  private static let longestStray = 10
  /// A lag that differs by more has jumped; clocks do not.
  private static let jump = 48.0
  private static let fittingDifference = 6.0
  private static let largestDifference = 24.0
  /// The gains of a loop that is critically damped with a time constant of one second.
  private static let proportional = 0.022
  private static let integral = 1.2e-4
  /// 400 ppm.
  private static let farthestDrift = 0.2

  /// The echo's lag behind playback; nil until known.
  var lag: TimeSpan? { offset.map { TimeSpan(seconds: (delay + $0) / Double(Audio.rate)) } }
  /// The difference of the clocks in parts per million; positive when the microphone's runs faster.
  var partsPerMillion: Double { drift / Double(Audio.block) * 1e6 }
  /// Whether something plays.
  var isPlaying: Bool { estimator.isPlaying }

  /// Takes a block of each side, before the filter does.
  mutating func update(
    played: borrowing FloatBuffer, captured: borrowing FloatBuffer, share: Float,
    _ canceller: inout LinearCanceller, _ transform: borrowing RealTransform
  ) {
    estimator.add(
      played: played, captured: captured, isHurried: offset != nil && misfits > Self.misfitBlocks, transform)
    if estimator.isPlaying { note(share, &canceller) }
    if estimator.hasMeasured, let lag = estimator.lag {
      if let offset, Self.suitable.contains(offset) {
        compare(lag, with: lag - delay - offset, &canceller, transform)
      } else {
        begin(lag, &canceller, transform)
      }
    }
    follow()
  }

  /// Begins with the reported delay until one is measured; later calls change nothing.
  mutating func start(reported: TimeSpan) {
    guard !isStarted else { return }
    isStarted = true
    delay = min(max(reported.seconds * Double(Audio.rate) - Self.uncertainty, 0), ReferenceDelayLine.farthest)
  }

  private mutating func note(_ share: Float, _ canceller: inout LinearCanceller) {
    misfits = share < 0.5 ? misfits + 1 : 0
    if unsettled > 0, share > 0 { unsettled -= 1 }
    trust = unsettled > 0 ? 0 : min(max((share - 0.45) / 0.3, 0), 1)
    if misfits == Self.relearningBlocks { canceller.filter.doubt(1) }
  }

  private mutating func begin(_ lag: Double, _ canceller: inout LinearCanceller, _ transform: borrowing RealTransform) {
    let wanted = max(lag - Self.margin, 0)
    let isUnsuitable = !Self.suitable.contains(lag - delay) || offset == nil && lag - delay > 2 * Self.margin
    if isUnsuitable, abs(wanted - delay) > Self.jump {
      delay = wanted
      canceller.realign(delay: delay, transform)
      canceller.filter.forget()
      unsettled = Self.settlingBlocks
    }
    offset = lag - delay
    (difference, strays, misfits, recent) = (0, 0, 0, (0, 0))
  }

  private mutating func compare(
    _ lag: Double, with change: Double, _ canceller: inout LinearCanceller, _ transform: borrowing RealTransform
  ) {
    guard abs(change) > Self.jump else { return note(difference: change) }
    difference = 0
    strays += 1
    if misfits > Self.misfitBlocks {
      move(by: change, &canceller, transform)
    } else if strays > Self.longestStray {
      // The filter fits, but another path is the strongest.
      begin(lag, &canceller, transform)
    }
  }

  /// Near speech shifts single measurements, so the median of three counts, and while the filter fits little of that.
  private mutating func note(difference change: Double) {
    let (first, second) = recent
    let median = max(min(first, second), min(max(first, second), change))
    let limit = trust > 0.8 ? Self.fittingDifference : Self.largestDifference
    difference = min(max(median, -limit), limit)
    recent = (second, change)
    strays = 0
  }

  /// The delay jumped, so the room is the same: keeps what the filter learned.
  private mutating func move(
    by change: Double, _ canceller: inout LinearCanceller, _ transform: borrowing RealTransform
  ) {
    delay = min(max(delay + change, 0), ReferenceDelayLine.farthest)
    canceller.realign(delay: delay, transform)
    canceller.filter.doubt(0.1)
    misfits = -30
    strays = 0
    recent = (0, 0)
  }

  /// The clocks keep running while nothing plays, too.
  private mutating func follow() {
    drift = min(max(drift + Self.integral * difference, -Self.farthestDrift), Self.farthestDrift)
    delay = min(max(delay + drift, 0), ReferenceDelayLine.farthest)
    // The path may lie elsewhere in the filter than it did: to shift it back would move it under the filter's hands.
    if let offset { self.offset = offset + Self.proportional * difference }
    // A measurement counts less and less until the next.
    difference *= 0.98
  }

  /// Restarts the measurement; the difference of the clocks stays known.
  mutating func reset() {
    estimator.reset()
    offset = nil
    isStarted = false
    (difference, misfits, strays, unsettled, trust) = (0, 0, 0, Self.settlingBlocks, 0)
  }
}
