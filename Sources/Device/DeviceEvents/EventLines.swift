import ControlMessages
import FoundationEssentials

/// One JSON object a line.
enum EventLines {
  static func line(_ record: EventRecord) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // A record of plain values is always encoded.
    let text = (try? encoder.encode(record)) ?? Data()
    return Array(text) + [UInt8(ascii: "\n")]
  }

  /// Of an event with several lines the last one counts; lines that are torn or foreign are left out.
  static func read(_ bytes: [UInt8]) -> [EventRecord] {
    let decoder = JSONDecoder()
    var (records, places): ([EventRecord], [String: Int]) = ([], [:])
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let record = try? decoder.decode(EventRecord.self, from: Data(line)) else { continue }
      if let place = places[record.id] {
        records[place] = record
      } else {
        places[record.id] = records.count
        records.append(record)
      }
    }
    return records
  }
}
