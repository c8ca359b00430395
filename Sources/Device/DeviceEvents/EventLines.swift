import FoundationEssentials
import Signalling

/// One JSON object a line.
enum EventLines {
  static func line(_ event: DetectedEvent) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // An event of plain values is always encoded.
    let text = (try? encoder.encode(event)) ?? Data()
    return Array(text) + [UInt8(ascii: "\n")]
  }

  /// Of an event with several lines the last one counts; lines that are torn or foreign are left out.
  static func read(_ bytes: [UInt8]) -> [DetectedEvent] {
    let decoder = JSONDecoder()
    var (events, places): ([DetectedEvent], [String: Int]) = ([], [:])
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let event = try? decoder.decode(DetectedEvent.self, from: Data(line)) else { continue }
      if let place = places[event.id] {
        events[place] = event
      } else {
        places[event.id] = events.count
        events.append(event)
      }
    }
    return events
  }
}
