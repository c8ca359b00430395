public import MediaCore

/// Makes events of readings that reach a threshold, until they are below it by the hysteresis. Reads no clock.
///
/// Without readings an event ends after ``ConditionDetector/timeout``, with the last of them.
public struct ThresholdDetector: Hashable, Sendable {
  public typealias Step = ConditionDetector.Step

  /// The threshold, in the readings' unit.
  public struct Limits: Hashable, Sendable {
    public var threshold: Double
    /// Readings that are lower than the threshold by more than this are below it; those between change nothing.
    public var hysteresis: Double
    /// How far beyond the threshold the score is 100.
    public var fullScore: Double

    public init(threshold: Double, hysteresis: Double, fullScore: Double) {
      self.threshold = threshold
      self.hysteresis = hysteresis
      self.fullScore = fullScore
    }
  }

  private let limits: Limits
  private var condition: ConditionDetector
  /// The newest reading; nil before the first.
  public private(set) var newest: Double?

  public init(_ limits: Limits, _ timing: EventTiming) {
    self.limits = limits
    condition = ConditionDetector(timing, .samples)
  }

  /// Takes a reading.
  ///
  /// - Parameter error: the reading's uncertainty: it has to be beyond the threshold by more than that.
  public mutating func take(_ reading: Double, error: Double = 0, at time: MonotonicInstant) -> [Step] {
    guard reading.isFinite, error.isFinite else { return tick(now: time) }
    newest = reading
    let isBeyond = reading - max(error, 0) >= limits.threshold
    let holds = isBeyond || condition.isOn && reading >= limits.threshold - limits.hysteresis
    return condition.take(holds, score: score(reading), at: time)
  }

  /// Whatever the time brings about; to be called each second or so.
  public mutating func tick(now: MonotonicInstant) -> [Step] { condition.tick(now: now) }

  /// Detection stops: an ongoing event ends with what was known last.
  public mutating func finish() -> [Step] { condition.finish() }

  private func score(_ reading: Double) -> Int {
    min(max(Int(saturating: ((reading - limits.threshold) / limits.fullScore * 100).rounded()), 1), 100)
  }
}
