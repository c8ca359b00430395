public import EventDetection
import MediaCore
public import Signalling

/// The device is faster than that.
public struct SpeedSource: EventTableSource {
  public static let kind = EventKind.speed
  static let keys: Set = ["threshold", "hysteresis"]
  static let timing: EventTimingKeys? = EventTimingKeys(minimumDuration: .seconds(3), longest: .seconds(86_400))
  static let help: String? = "the device is faster than that, by the positions of gpsd"

  public let limit: SpeedLimit

  init?(_ reader: EventSourceReader) {
    guard let limit = reader.speedLimit() else { return nil }
    self.limit = limit
  }

  public func watching(_ timing: EventTiming) -> EventWatching { .positions(SpeedDetector(limit, timing)) }
}
