public import MediaCore

/// Makes events of samples of the machine's state. Reads no clock.
///
/// Twenty kelvin above its threshold a temperature has a score of 100, as an empty battery has, and what is there or not always has.
/// Without readings an event ends after ``ConditionDetector/timeout``.
public struct HardwareDetector: Hashable, Sendable {
  public typealias Step = ConditionDetector.Step

  private enum Evaluator: Hashable, Sendable {
    case temperature(ThresholdDetector)
    /// The remaining charge, as negative per cent.
    case battery(ThresholdDetector)
    case state(ConditionDetector, detail: String)
  }

  private static let fullScore = 20.0
  /// Per cent by which a battery has to be charged before it is not low any more.
  private static let batteryHysteresis = 5.0

  private var evaluator: Evaluator

  public init(_ condition: HardwareCondition, _ timing: EventTiming) {
    switch condition {
    case .temperature(let limit):
      evaluator = .temperature(
        ThresholdDetector(
          ThresholdDetector.Limits(
            threshold: limit.threshold, hysteresis: limit.hysteresis, fullScore: Self.fullScore), timing))
    case .batteryLow(let limit):
      evaluator = .battery(
        ThresholdDetector(
          ThresholdDetector.Limits(
            threshold: -limit.threshold, hysteresis: Self.batteryHysteresis, fullScore: max(limit.threshold, 1)),
          timing))
    case .mainsLost: evaluator = .state(ConditionDetector(timing, .samples), detail: "mains-lost")
    case .underVoltage: evaluator = .state(ConditionDetector(timing, .samples), detail: "under-voltage")
    }
  }

  /// The newest temperature, such as `81 °C`, or what has happened: `mains-lost`, `battery-low` or `under-voltage`.
  public var detail: String? {
    switch evaluator {
    case .temperature(let detector): detector.newest.map { "\(Int(saturating: $0.rounded())) °C" }
    case .battery: "battery-low"
    case .state(_, let detail): detail
    }
  }

  /// Takes a sample; nil where nothing could be read.
  public mutating func take(_ reading: HardwareReading?, at time: MonotonicInstant) -> [Step] {
    switch (evaluator, reading) {
    case (.temperature(var detector), .value(let value)?):
      defer { evaluator = .temperature(detector) }
      return detector.take(value, at: time)
    case (.battery(var detector), .value(let value)?):
      defer { evaluator = .battery(detector) }
      return detector.take(-value, at: time)
    case (.state(var detector, let detail), .state(let holds)?):
      defer { evaluator = .state(detector, detail: detail) }
      return detector.take(holds, at: time)
    default: return tick(now: time)
    }
  }

  /// Detection stops: an ongoing event ends with what was known last.
  public mutating func finish() -> [Step] {
    switch evaluator {
    case .temperature(var detector):
      defer { evaluator = .temperature(detector) }
      return detector.finish()
    case .battery(var detector):
      defer { evaluator = .battery(detector) }
      return detector.finish()
    case .state(var detector, let detail):
      defer { evaluator = .state(detector, detail: detail) }
      return detector.finish()
    }
  }

  private mutating func tick(now: MonotonicInstant) -> [Step] {
    switch evaluator {
    case .temperature(var detector):
      defer { evaluator = .temperature(detector) }
      return detector.tick(now: now)
    case .battery(var detector):
      defer { evaluator = .battery(detector) }
      return detector.tick(now: now)
    case .state(var detector, let detail):
      defer { evaluator = .state(detector, detail: detail) }
      return detector.tick(now: now)
    }
  }
}
