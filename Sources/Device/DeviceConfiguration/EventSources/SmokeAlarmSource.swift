public import EventDetection
public import MediaCore
public import Signalling

/// A smoke alarm sounds.
public struct SmokeAlarmSource: EventTableSource {
  public static let kind = EventKind.smokeAlarm
  static let keys: Set<String> = []
  static let timing: EventTimingKeys? = nil
  static let help: String? = nil

  init(_ reader: EventSourceReader) {}

  public func watching(_ timing: EventTiming) -> EventWatching { .sound(SmokeAlarmEvents()) }

  public func delay(_ timing: EventTiming) -> TimeSpan { .seconds(10) }
}
