import ConfigFile
public import EventDetection
import MediaCore
import MotionDetection
public import Signalling

/// The frame is darker than a level.
public struct DarkSource: EventTableSource {
  public static let kind = EventKind.dark
  static let keys: Set = ["camera", "level"]
  static let timing: EventTimingKeys? = EventTimingKeys(
    minimumDuration: .seconds(10), durationKey: "for", longest: .seconds(86_400))
  static let help: String? = "the image is darker than a level"
  static let settings: [Setting<EventSourceKeys>] = [
    Setting(
      "level", "number, 1 to 90", default: "10",
      "For dark: how bright the image is at most, in per cent of white; the mean of the whole image counts."),
    Setting("for", "duration, 0s to 1m", default: "\"10s\"", "For dark: the image has to be dark for this time."),
  ]

  /// Per cent of white.
  public let level: Double

  init(_ reader: EventSourceReader) { level = reader.table.number("level", in: 1...90) ?? 10 }

  public func watching(_ timing: EventTiming) -> EventWatching { .frames(DarknessEvents(level: level, timing)) }
}
