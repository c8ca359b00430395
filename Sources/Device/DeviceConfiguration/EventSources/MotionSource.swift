import ConfigFile
public import EventDetection
public import MotionDetection
public import Signalling

/// Something moves in the zone.
public struct MotionSource: EventTableSource {
  public static let kind = EventKind.motion
  static let keys: Set = ["camera", "zone", "smallest"]
  static let timing: EventTimingKeys? = EventTimingKeys(minimumDuration: .milliseconds(500))
  static let help: String? = nil

  public let zone: MotionZone

  init(_ reader: EventSourceReader) {
    let table = reader.table
    zone = MotionZone(
      area: table.contains("zone") ? table.polygon("zone") : nil,
      smallestObject: table.number("smallest", in: 0.0001...0.5) ?? MotionZone().smallestObject)
  }

  public func watching(_ timing: EventTiming) -> EventWatching { .frames(MotionEvents(zone, timing)) }
}
