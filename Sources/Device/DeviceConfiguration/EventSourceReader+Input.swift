import ConfigFile
import MediaCore

/// Keys, switches and lines whose level is an event.
extension EventSourceReader {
  /// Nil where the file has mistakes, which are told.
  func inputPlace() -> InputPlace? {
    let place = InputPlaceReader(table: table).place("an input")
    let debounce = table.duration("debounce", default: .milliseconds(20), in: .zero ... .seconds(10))
    switch place {
    case .line(var line)?:
      line.debounce = TimeSpan(debounce)
      return .line(line)
    case .key(let key)?:
      if table.contains("debounce") {
        table.addError("debounce does nothing with a key", remedy: "set min_duration", at: "debounce")
      }
      return .key(key)
    case nil: return nil
    }
  }
}

extension InputPlace {
  /// Whether the kernel lets one alone have it of the two; the place of both in words, or nil.
  func conflict(with other: InputPlace) -> String? {
    switch (self, other) {
    case (.line(let mine), .line(let theirs)) where mine.chip == theirs.chip && mine.line == theirs.line:
      "the line \(mine.line.text) of \(mine.chip)"
    case (.key(let mine), .key(let theirs)) where mine.device == theirs.device && mine.isGrabbed != theirs.isGrabbed:
      "the device \(mine.device), which one of them grabs,"
    default: nil
    }
  }
}

extension InputLine.Place {
  fileprivate var text: String {
    switch self {
    case .offset(let offset): "\(offset)"
    case .name(let name): "\"\(name)\""
    }
  }
}
