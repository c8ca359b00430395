import EventDetection
import ConfigFile
import MediaCore

/// Reads `[[button]]`.
struct ButtonReader {
  let table: ConfigTable
  /// The names of the device's actions.
  let actions: [String]

  static func buttons(_ root: ConfigTable, actions: [ActionSettings]) -> [ButtonSettings] {
    let tables = root.tables("button")
    if tables.count > ButtonSettings.maxCount {
      root.addError("there are \(tables.count) buttons, more than \(ButtonSettings.maxCount)", at: "button")
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

  private struct Keys: SettingGroup {
    var name: String?
    var debounce = TimeSpan.milliseconds(20)
    var hold = TimeSpan.seconds(1)
    var hunt = HuntKeys()
  }

  static let section = SettingSection<DeviceConfiguration>(
    "button", .array, whole: \.buttons,
    """
    A button at the device (guides/doorbell.md); up to \(ButtonSettings.maxCount). The service needs permission to open \
    the devices.
    """, settings: settings, sample: sample)

  private static let sample = """
    [[button]]
    name = "Front door"
    key = { device = "gpio-keys", code = "KEY_F1", grab = false }
    press = "call"
    call = ["user:ID"]

    [[button]]
    name = "Hang up"
    gpio = { chip = "gpiochip0", line = 17, active_low = true, bias = "pull-up" }
    press = "hang-up"
    """

  private static let settings: [Setting<Keys>] =
    [
      Setting(
        "name", \.name, .tableName, example: "\"Front door\"", isRequired: true, "No two buttons have the same."),
      Setting(
        "key", "table of device, code and grab",
        example: "{ device = \"gpio-keys\", code = \"KEY_F1\", grab = false }",
        """
        A key of an input device: the device's path or the kernel's name for it, the key's name or number, and whether \
        no other program receives what is pressed there.
        """),
      Setting(
        "gpio", "table of chip, line, active_low and bias",
        example: "{ chip = \"gpiochip0\", line = 17, active_low = true, bias = \"pull-up\" }",
        "In place of `key`: a line of a GPIO chip."),
      Setting(
        "debounce", \.debounce, .timeSpan(.zero ... .seconds(1)), "A level counts once it has held for this time."),
      Setting(
        "press", "action of a button", example: "\"call\"",
        """
        `"call"`, `"answer"`, `"hang-up"`, `"record"` or `"action NAME"`: an [[action]] of this file, as policy.toml \
        allows the button.
        """),
      Setting("long_press", "action of a button", example: "\"hang-up\"", "The same for a long press."),
      Setting(
        "long_press_after", \.hold, .timeSpan(.milliseconds(200) ... .seconds(20)),
        "A press that is held for this time is a long one."),
    ] + HuntKeys.settings.lifted(\.hunt)

  /// Nil where the file has mistakes, which are logged; all that is there is read before that is judged.
  private func button() -> ButtonSettings? {
    let keys = Self.settings.values(of: table)
    let name = checked(keys.name)
    let place = InputPlaceReader(table: table).place("a button")
    let longPress = action("long_press")
    let press = action("press")
    let call = call(keys.hunt, isWanted: press == .call || longPress == .call)
    let timing = timing(keys, hasLongPress: table.contains("long_press"))
    if !table.contains("press"), !table.contains("long_press") { table.addMissing("press", example: "\"call\"") }
    guard let name, let place else { return nil }
    return ButtonSettings(name: name, place: place, timing: timing, press: press, longPress: longPress, call: call)
  }

  private func checked(_ name: String?) -> String? {
    // The command line's hunts have it.
    guard name != "call" else {
      table.addError("name cannot be \"call\"", remedy: "name the button after its place", at: "name")
      return nil
    }
    return name
  }

  private func timing(_ keys: Keys, hasLongPress: Bool) -> ButtonTiming {
    if !hasLongPress, table.contains("long_press_after") {
      table.addError("long_press_after without long_press does nothing", at: "long_press_after")
    }
    return ButtonTiming(debounce: keys.debounce, longPress: hasLongPress ? keys.hold : nil)
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

  private func call(_ keys: HuntKeys, isWanted: Bool) -> HuntSettings? {
    let call = HuntSettings.make(keys, table, missing: isWanted ? nil : "press = \"call\"")
    if isWanted, !table.contains("call") { table.addMissing("call", example: "[\"user:ID\"]") }
    return call
  }
}
