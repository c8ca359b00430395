import ButtonInput
import ConfigFile
import MediaCore

/// Reads `[[button]]`.
struct ButtonReader {
  let table: ConfigTable
  /// The names of the device's actions.
  let actions: [String]

  static func buttons(_ root: ConfigTable, actions: [ActionSettings]) -> [ButtonSettings] {
    let tables = root.tables("button")
    if tables.count > ButtonSettings.most {
      root.addError("there are \(tables.count) buttons, more than \(ButtonSettings.most)", at: "button")
    }
    var names: Set<String> = []
    return tables.compactMap { table in
      let button = ButtonReader(table: table, actions: actions.map(\.name)).button()
      if let button, !names.insert(button.name).inserted {
        table.addError("another button is named \"\(button.name)\"", remedy: "give each its own name", at: "name")
      }
      return button
    }
  }

  /// Nil where the file has mistakes, which are told; all that is there is read before that is judged.
  private func button() -> ButtonSettings? {
    let name = name()
    let place = InputPlaceReader(table: table).place("a button")
    let longPress = action("long_press")
    let press = action("press")
    let call = call(isWanted: press == .call || longPress == .call)
    let timing = timing(hasLongPress: table.contains("long_press"))
    if !table.contains("press"), !table.contains("long_press") { table.addMissing("press", example: "\"call\"") }
    guard let name, let place else { return nil }
    return ButtonSettings(name: name, place: place, timing: timing, press: press, longPress: longPress, call: call)
  }

  private func name() -> String? {
    guard let name = table.string("name") else {
      if !table.contains("name") { table.addMissing("name", example: "\"Front door\"") }
      return nil
    }
    guard (1...64).contains(name.utf8.count), !name.unicodeScalars.contains(where: { $0.value < 32 }) else {
      table.addError("name must have 1 to 64 bytes and no control characters", at: "name")
      return nil
    }
    // The command line's hunts have it.
    guard name != "call" else {
      table.addError("name cannot be \"call\"", remedy: "name the button after its place", at: "name")
      return nil
    }
    return name
  }

  private func timing(hasLongPress: Bool) -> ButtonTiming {
    let debounce = table.duration("debounce", default: .milliseconds(20), in: .zero ... .seconds(1))
    let hold = table.duration("long_press_after", default: .seconds(1), in: .milliseconds(200) ... .seconds(20))
    if !hasLongPress, table.contains("long_press_after") {
      table.addError("long_press_after without long_press does nothing", at: "long_press_after")
    }
    return ButtonTiming(debounce: TimeSpan(debounce), longPress: hasLongPress ? TimeSpan(hold) : nil)
  }

  // MARK: What it does

  private func action(_ key: String) -> ButtonAction? {
    table.value(key) { text throws(ConfigValueError) in
      switch text {
      case "call": return .call
      case "answer": return .answer
      case "hang-up": return .hangUp
      case "record": return .record
      case _ where text.hasPrefix("action "): return .action(name: try namedAction(String(text.dropFirst(7))))
      default:
        throw ConfigValueError(
          "\(key) cannot be \"\(text)\"",
          remedy: "it is \"call\", \"answer\", \"hang-up\", \"record\" or \"action NAME\"")
      }
    }
  }

  private func namedAction(_ name: String) throws(ConfigValueError) -> String {
    if actions.contains(name) { return name }
    let suggestion = closestMatch(to: name, among: actions).map { "did you mean \"action \($0)\"?" }
    throw ConfigValueError("there is no action \"\(name)\"", remedy: suggestion ?? "add an [[action]] of this name")
  }

  private func call(isWanted: Bool) -> HuntSettings? {
    let call = HuntSettings.read(table, missing: isWanted ? nil : "press = \"call\"")
    if isWanted, !table.contains("call") { table.addMissing("call", example: "[\"user:ID\"]") }
    return call
  }
}
