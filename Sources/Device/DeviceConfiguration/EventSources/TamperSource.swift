public import EventDetection
public import MediaCore
import MotionDetection
public import Signalling

/// The camera is covered, moved, out of focus or gone.
public struct TamperSource: EventTableSource {
  public static let kind = EventKind.tamper
  static let keys: Set = ["camera"]
  static let timing: EventTimingKeys? = nil
  static let help: String? = "the camera is covered, moved, out of focus or gone"

  init(_ reader: EventSourceReader) {}

  public func watching(_ timing: EventTiming) -> EventWatching { .frames(TamperEvents()) }

  public func delay(_ timing: EventTiming) -> TimeSpan { .seconds(5) }
}
