import EventDetection
import ConfigFile

/// Reads where a `[[button]]` or an `[[event]]` of inputs is: `key` or `gpio`.
struct InputPlaceReader {
  let table: ConfigTable

  /// Nil where the file has mistakes, which are reported.
  ///
  /// - Parameter what: for people, whose place it is.
  func place(_ what: String) -> InputPlace? {
    switch (table.contains("key"), table.contains("gpio")) {
    case (true, true):
      table.addError("\(what) has a key or a line, not both", remedy: "remove key or gpio", at: "gpio")
      _ = (key(), line())
      return nil
    case (_, true): return line().map { .line($0) }
    case (true, _): return key().map { .key($0) }
    default:
      table.addMissing("key", example: "{ device = \"gpio-keys\", code = \"KEY_F1\" }")
      return nil
    }
  }

  private func line() -> InputLine? {
    let gpio = table.table("gpio")
    let (isActiveLow, bias) = (gpio.bool("active_low", default: false), gpio.choice("bias", as: InputLine.Bias.self))
    let place = linePlace(gpio)
    guard let chip = gpio.string("chip"), !chip.isEmpty, chip.utf8.count <= 255 else {
      gpio.addError("gpio needs a chip", remedy: "write for example chip = \"gpiochip0\"", at: "chip")
      return nil
    }
    return place.map { InputLine(chip: chip, line: $0, isActiveLow: isActiveLow, bias: bias ?? .asIs) }
  }

  private func linePlace(_ gpio: ConfigTable) -> InputLine.Place? {
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
    case .integer, .number, .boolean, .dateTime, .array, .table:
      return gpio.integer("line", in: 0...65_535).map { .offset(UInt32(clamping: $0)) }
    }
  }

  private func key() -> InputKey? {
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
    return code.map { InputKey(device: device, code: $0, isGrabbed: isGrabbed) }
  }

  private func code(_ key: ConfigTable) -> InputCode? {
    switch key.node("code")?.value {
    case .integer(let number)?:
      let code = Int(exactly: number).flatMap { KeyCode(number: $0) }
      if code == nil { key.addError("code is \(number), outside 1 to \(KeyCode.maximum)", at: "code") }
      return code.map { .key($0) }
    case nil:
      key.addMissing("code", example: "\"KEY_F1\"")
      return nil
    default: return key.value("code", parse: Self.code)
    }
  }

  private static func code(_ name: String) throws(ConfigValueError) -> InputCode {
    if let code = InputCode(name: name) { return code }
    let suggestion = closestMatch(to: name, among: InputCode.names).map { "did you mean \"\($0)\"?" }
    throw ConfigValueError(
      "there is no key or switch \"\(name)\"",
      remedy: suggestion ?? "write a name of linux/input-event-codes.h, or the number that evtest shows")
  }
}
