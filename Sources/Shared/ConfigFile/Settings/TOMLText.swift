/// Writes values as a configuration file has them.
public enum TOMLText {
  public static func string(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      default:
        if scalar.value < 0x20 || scalar.value == 0x7F {
          let digits = String(scalar.value, radix: 16)
          quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
          quoted.unicodeScalars.append(scalar)
        }
      }
    }
    return quoted + "\""
  }

  public static func strings(_ texts: [String]) -> String { "[\(texts.map(string).joined(separator: ", "))]" }

  /// Without a fraction where there is none.
  static func number(_ value: Double) -> String {
    Int64(exactly: value).map { "\($0)" } ?? "\(value)"
  }

  static func choices<Choice: RawRepresentable<String>>(_ choices: [Choice]) -> String {
    strings(choices.map(\.rawValue))
  }

  /// A value on one line, as a file could have it.
  static func value(_ value: ConfigValue) -> String {
    switch value {
    case .string(let text): string(text)
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .dateTime: "…"
    case .array(let elements): "[\(elements.map { self.value($0.value) }.joined(separator: ", "))]"
    case .table(let entries):
      "{ \(entries.map { "\(key($0.key)) = \(self.value($0.node.value))" }.joined(separator: ", ")) }"
    }
  }

  /// A key, in quotes where it needs them.
  static func key(_ name: String) -> String {
    let isBare = name.utf8.allSatisfy {
      (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 95
    }
    return isBare && !name.isEmpty ? name : string(name)
  }
}

extension ConfigQuantity {
  /// `1h30m`, as ``duration(_:)`` reads it.
  public static func text(duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    var rest = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    guard rest > 0 else { return "0s" }
    var text = ""
    for (unit, milliseconds): (String, Int64) in [
      ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ] where rest >= milliseconds {
      text += "\(rest / milliseconds)\(unit)"
      rest %= milliseconds
    }
    return text
  }

  /// `512MiB`, as ``bytes(_:)`` reads it.
  public static func text(bytes: Int64) -> String {
    let units: [(String, Int64)] = [
      ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("TB", 1_000_000_000_000),
      ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000),
    ]
    guard bytes > 0, let unit = units.first(where: { bytes.isMultiple(of: $0.1) }) else { return "\(bytes)B" }
    return "\(bytes / unit.1)\(unit.0)"
  }

  /// `800kbit/s`, as ``bitrate(_:)`` reads it.
  public static func text(bitrate: Int) -> String {
    if bitrate >= 1_000_000, bitrate.isMultiple(of: 100_000) {
      return "\(TOMLText.number(Double(bitrate) / 1_000_000))Mbit/s"
    }
    return bitrate.isMultiple(of: 1_000) ? "\(bitrate / 1_000)kbit/s" : "\(bitrate)bit/s"
  }
}
