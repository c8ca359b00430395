public import MediaCore

/// A unit in which people state speeds.
public enum SpeedUnit: String, Hashable, Sendable, CaseIterable {
  case kilometresPerHour = "km/h"
  case milesPerHour = "mph"
  case metresPerSecond = "m/s"
  case knots = "kn"

  /// One of it.
  public var metresPerSecond: Double {
    switch self {
    case .kilometresPerHour: 1 / 3.6
    case .milesPerHour: 0.44704
    case .metresPerSecond: 1
    case .knots: 1_852 / 3_600.0
    }
  }
}

/// How fast the device may be before it is an event.
public struct SpeedLimit: Hashable, Sendable {
  /// Metres per second.
  public var threshold: Double
  /// Metres per second below the threshold, at which it is over.
  public var hysteresis: Double
  /// The unit in which speeds are reported.
  public var unit: SpeedUnit

  public init(threshold: Double, hysteresis: Double, unit: SpeedUnit) {
    self.threshold = threshold
    self.hysteresis = hysteresis
    self.unit = unit
  }
}

/// Makes events of the receiver's speeds. Reads no clock.
///
/// Twice the limit has a score of 100. Positions without a speed count as none.
public struct SpeedDetector: PositionDetector, Hashable {
  private let unit: SpeedUnit
  private var detector: ThresholdDetector

  public init(_ limit: SpeedLimit, _ timing: EventTiming) {
    unit = limit.unit
    detector = ThresholdDetector(
      ThresholdDetector.Limits(
        threshold: limit.threshold, hysteresis: limit.hysteresis, fullScore: limit.threshold), timing)
  }

  /// The newest speed, such as `92 km/h`.
  public var detail: String? {
    detector.newest.map { "\(Int(saturating: ($0 / unit.metresPerSecond).rounded())) \(unit.rawValue)" }
  }

  /// Takes a position; an event begins at the first one that is too fast.
  public mutating func take(_ fix: PositionFix, at time: MonotonicInstant) -> [Step] {
    guard let speed = fix.speed else { return tick(now: time) }
    return detector.take(speed, error: fix.speedError ?? 0, at: time)
  }

  /// Whatever the time brings about; to be called each second or so.
  public mutating func tick(now: MonotonicInstant) -> [Step] { detector.tick(now: now) }

  /// Detection stops: an ongoing event ends with what was known last.
  public mutating func finish() -> [Step] { detector.finish() }
}
