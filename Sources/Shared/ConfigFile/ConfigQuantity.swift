/// Parses the units that configuration files and command lines use.
public enum ConfigQuantity {
  /// Whole numbers with units, largest first: `1h30m`; units are `ms s m h d`.
  public static func duration(_ text: String) throws(ConfigValueError) -> Duration {
    let units: [(name: Substring, milliseconds: Int64)] = [
      ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]
    var rest = text[...]
    var total: Int64 = 0
    var previous = units.startIndex
    repeat {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      let letters = rest.dropFirst(digits.count).prefix { $0.isASCII && $0.isLetter }
      rest = rest.dropFirst(digits.count + letters.count)
      guard digits.count <= 9, let count = Int64(digits),
        let unit = units[previous...].firstIndex(where: { $0.name == letters })
      else { throw ConfigValueError("\"\(text)\" is not a duration", remedy: "write for example \"90s\" or \"1h30m\"") }
      total += count * units[unit].milliseconds
      previous = unit + 1
    } while !rest.isEmpty
    return .milliseconds(total)
  }

  /// Decimal (`kB MB GB TB`) and binary (`KiB MiB GiB TiB`) multiples of a byte.
  public static func bytes(_ text: String) throws(ConfigValueError) -> Int64 {
    let units: [(String, Double)] = [
      ("B", 1), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("KiB", 1_024), ("MiB", 1_048_576),
      ("GiB", 1_073_741_824), ("TiB", 1_099_511_627_776),
    ]
    let value = try scaled(text, units, remedy: "write for example \"500MB\" or \"4GiB\"")
    return Int64(exactly: value.rounded()) ?? .max
  }

  /// Metres, from `m`, `km` or `mi`.
  public static func distance(_ text: String) throws(ConfigValueError) -> Double {
    try scaled(text, [("m", 1), ("km", 1_000), ("mi", 1_609.344)], remedy: "write for example \"50m\" or \"200mi\"")
  }

  /// Metres per second, from `km/h`, `mph`, `m/s` or `kn`.
  public static func speed(_ text: String) throws(ConfigValueError) -> Double {
    try scaled(
      text, [("km/h", 1 / 3.6), ("mph", 0.44704), ("m/s", 1), ("kn", 1_852 / 3_600.0)],
      remedy: "write for example \"90km/h\" or \"55mph\"")
  }

  /// Bits per second, from `bit/s`, `kbit/s` or `Mbit/s`.
  public static func bitrate(_ text: String) throws(ConfigValueError) -> Int {
    let value = try scaled(
      text, [("bit/s", 1), ("kbit/s", 1e3), ("Mbit/s", 1e6)], remedy: "write for example \"800kbit/s\"")
    return Int(exactly: value.rounded()) ?? .max
  }

  /// A decimal number times its unit, small enough for an `Int64`.
  private static func scaled(
    _ text: String, _ units: [(String, Double)], remedy: String
  ) throws(ConfigValueError) -> Double {
    let number = text.prefix { $0 == "." || ($0.isASCII && $0.isNumber) }
    let name = text.dropFirst(number.count).drop { $0 == " " }
    guard number.first != ".", number.last != ".", number.count <= 15, let value = Double(number),
      let unit = units.first(where: { $0.0 == name })
    else { throw ConfigValueError("\"\(text)\" is not understood", remedy: remedy) }
    let result = value * unit.1
    guard result < 9e18 else { throw ConfigValueError("\"\(text)\" is too large", remedy: remedy) }
    return result
  }
}
