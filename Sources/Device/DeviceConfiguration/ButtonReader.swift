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
    let place = place()
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

  // MARK: Which button

  private func place() -> ButtonPlace? {
    switch (table.contains("key"), table.contains("gpio")) {
    case (true, true):
      table.addError("a button has a key or a line, not both", remedy: "remove key or gpio", at: "gpio")
      _ = (key(), line())
      return nil
    case (_, true): return line().map { .line($0) }
    case (true, _): return key().map { .key($0) }
    default:
      table.addMissing("key", example: "{ device = \"gpio-keys\", code = \"KEY_F1\" }")
      return nil
    }
  }

  private func line() -> ButtonLine? {
    let gpio = table.table("gpio")
    let (isActiveLow, bias) = (gpio.bool("active_low", default: false), gpio.choice("bias", as: ButtonLine.Bias.self))
    let place = linePlace(gpio)
    guard let chip = gpio.string("chip"), !chip.isEmpty, chip.utf8.count <= 255 else {
      gpio.addError("gpio needs a chip", remedy: "write for example chip = \"gpiochip0\"", at: "chip")
      return nil
    }
    return place.map { ButtonLine(chip: chip, line: $0, isActiveLow: isActiveLow, bias: bias ?? .asIs) }
  }

  private func linePlace(_ gpio: ConfigTable) -> ButtonLine.Place? {
    switch gpio.node("line")?.value {
    case nil:
      gpio.addMissing("line", example: "17")
      return nil
    case .string(let name)?:
      guard (1...31).contains(name.utf8.count) else {
        gpio.addError("line must have 1 to 31 bytes", at: "line")
        return nil
      }
      return .name(name)
    default: return gpio.integer("line", in: 0...65_535).map { .offset(UInt32(clamping: $0)) }
    }
  }

  private func key() -> ButtonKey? {
    let key = table.table("key")
    let code = code(key)
    let isGrabbed = key.bool("grab", default: false)
    guard let device = key.string("device"), !device.isEmpty, device.utf8.count <= 255 else {
      key.addError(
        "key needs a device of 1 to 255 bytes",
        remedy: "write a path such as \"/dev/input/by-path/…\" or a device's name",
        at: "device")
      return nil
    }
    return code.map { ButtonKey(device: device, code: $0, isGrabbed: isGrabbed) }
  }

  private func code(_ key: ConfigTable) -> KeyCode? {
    switch key.node("code")?.value {
    case .integer(let number)?:
      let code = Int(exactly: number).flatMap { KeyCode(number: $0) }
      if code == nil { key.addError("code is \(number), outside 1 to \(KeyCode.maximum)", at: "code") }
      return code
    case nil:
      key.addMissing("code", example: "\"KEY_F1\"")
      return nil
    default: return key.value("code", parse: Self.code)
    }
  }

  private static func code(_ name: String) throws(ConfigValueError) -> KeyCode {
    if let code = KeyCode(name: name) { return code }
    let suggestion = closestMatch(to: name, among: KeyCode.names).map { "did you mean \"\($0)\"?" }
    throw ConfigValueError(
      "there is no key \"\(name)\"",
      remedy: suggestion ?? "write a name of linux/input-event-codes.h, or the number that evtest shows")
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
