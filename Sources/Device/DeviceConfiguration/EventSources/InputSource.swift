public import EventDetection
import MediaCore
public import Signalling

/// A key, a switch or a line is active.
public struct InputSource: EventTableSource {
  public static let kind = EventKind.input
  static let keys: Set = ["key", "gpio", "debounce"]
  static let timing: EventTimingKeys? = EventTimingKeys(minimumDuration: .zero, longest: .seconds(86_400))
  static let help: String? = "a key, a switch or a GPIO line is active"

  public let place: InputPlace

  init?(_ reader: EventSourceReader) {
    guard let place = reader.inputPlace() else { return nil }
    self.place = place
  }

  public func watching(_ timing: EventTiming) -> EventWatching { .input(place) }
}
