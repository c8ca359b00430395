import CommandSuggestions
import FoundationEssentials
import Glibc
import SafeText

/// How the commands write values.
enum Output {
  /// One JSON value on one line; times stay milliseconds, keys are in order.
  static func printJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    printLine(String(decoding: try encoder.encode(value), as: UTF8.self).escapingControlsInJSON)
  }

  /// Prints a line at once, so that a pipe sees it; ends the program when that fails. What comes from outside cannot end the
  /// line or command the terminal.
  static func printLine(_ line: String) { StandardOutput.printLine(line.escapingControls) }

  /// Says something about a list that is no part of it, where a script that reads the list does not see it.
  static func printNote(_ line: String) {
    "\(line.escapingControls)\n".withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
  }

  /// A line that should not be overlooked.
  static func printAlarm(_ line: String) {
    printStyled(line, .alarm)
  }

  /// A line that begins in a style.
  static func printStyled(_ text: String, _ style: TerminalStyle, then rest: String = "") {
    StandardOutput.printLine(style.text(text) + rest.escapingControls)
  }

  /// Whether standard output is a terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Clears the screen on a terminal; prints an empty line elsewhere.
  static func beginScreen() {
    // Cursor home, clear to the end of the screen (ECMA-48).
    StandardOutput.write(isTerminal ? "\u{1B}[H\u{1B}[J" : "\n")
  }

  /// Milliseconds since 1970 as ISO 8601 in local time, with its offset from UTC.
  static func time(_ milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1_000)
    var local = tm()
    guard localtime_r(&seconds, &local) != nil else { return "at \(seconds) s" }
    let bytes = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
      count = buffer.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress!, $0.count, "%FT%T", &local) }
    }
    return String(decoding: bytes, as: UTF8.self) + offset(minutes: local.tm_gmtoff / 60)
  }

  /// The day of the week of a local time, as policies write it.
  static func weekday(_ milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1_000)
    var local = tm()
    guard localtime_r(&seconds, &local) != nil, (0...6).contains(local.tm_wday) else { return "" }
    return ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][Int(local.tm_wday)]
  }

  private static func offset(minutes: Int) -> String {
    guard minutes != 0 else { return "Z" }
    let parts = [abs(minutes) / 60, abs(minutes) % 60].map { ($0 < 10 ? "0" : "") + String($0) }
    return (minutes < 0 ? "-" : "+") + parts.joined(separator: ":")
  }

  /// Seconds as `1:02:03`.
  static func duration(_ seconds: Int64) -> String {
    let parts = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { ($0 < 10 ? "0" : "") + String($0) }
    return parts.joined(separator: ":")
  }

  /// Milliseconds as `1:02:03.456`.
  static func milliseconds(_ milliseconds: Int64) -> String {
    let fraction = String(1_000 + max(0, milliseconds) % 1_000).dropFirst()
    return "\(duration(max(0, milliseconds) / 1_000)).\(fraction)"
  }

  static func bytes(_ count: Int64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"]
    var value = Double(count)
    var unit = 0
    while value >= 1_000, unit < units.count - 1 {
      value /= 1_000
      unit += 1
    }
    return unit == 0 ? "\(count) B" : "\((value * 10).rounded() / 10) \(units[unit])"
  }

  /// Rows in columns as wide as their widest cell; the first may name the columns.
  ///
  /// - Parameter shortened: the columns that are cut to make a table fit a terminal, the least important first.
  static func printTable(_ cells: [[String]], hasHeader: Bool = false, shortened: [Int] = []) {
    let table = TextTable(rows: cells.map { $0.map(\.escapingControls) })
    for (index, text) in table.lines(width: StandardOutput.terminalWidth, shortened: shortened).enumerated() {
      if hasHeader, index == 0 { printStyled(text, .heading) } else { printLine(text) }
    }
  }
}
