import ConfigFile
public import EventDetection
public import Signalling

/// It is louder than the background.
public struct SoundSource: EventTableSource {
  public static let kind = EventKind.sound
  static let keys: Set = ["threshold"]
  static let timing: EventTimingKeys? = EventTimingKeys(minimumDuration: .milliseconds(100))
  static let help: String? = "it is louder than usual"

  public let decibels: Double

  init(_ reader: EventSourceReader) { decibels = reader.table.number("threshold", in: 3...60) ?? 20 }

  public func watching(_ timing: EventTiming) -> EventWatching {
    .sound(LoudSoundEvents(threshold: decibels, timing))
  }
}
