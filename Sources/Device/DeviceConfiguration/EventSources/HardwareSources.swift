public import EventDetection
public import MediaCore
public import Signalling

/// A sensor is too hot.
public struct TemperatureSource: EventTableSource {
  public static let kind = EventKind.temperature
  static let keys: Set = ["sensor", "threshold", "hysteresis"]
  static let timing: EventTimingKeys? = EventTimingKeys(minimumDuration: .seconds(10), longest: .seconds(86_400))
  static let help: String? = "a sensor is hotter than that"

  public let condition: HardwareCondition

  init(_ reader: EventSourceReader) { condition = reader.temperatureCondition() }

  public func watching(_ timing: EventTiming) -> EventWatching { .sensor(condition) }

  public func delay(_ timing: EventTiming) -> TimeSpan { timing.minimumDuration + .seconds(4) }
}

/// The machine lacks power.
public struct PowerSource: EventTableSource {
  public static let kind = EventKind.power
  static let keys: Set = ["on", "supply", "threshold"]
  static let timing: EventTimingKeys? = EventTimingKeys(minimumDuration: .zero, longest: .seconds(86_400))
  static let help: String? = "see `on`"

  public let condition: HardwareCondition

  init?(_ reader: EventSourceReader) {
    guard let condition = reader.powerCondition() else { return nil }
    self.condition = condition
  }

  public func watching(_ timing: EventTiming) -> EventWatching { .sensor(condition) }

  public func delay(_ timing: EventTiming) -> TimeSpan { timing.minimumDuration + .seconds(4) }
}
