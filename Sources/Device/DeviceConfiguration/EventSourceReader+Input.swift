import ConfigFile
import MediaCore

/// Keys, switches and lines whose level is an event.
extension EventSourceReader {
  /// Nil where the file has mistakes, which are reported.
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
