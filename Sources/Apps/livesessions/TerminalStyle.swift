import Glibc
import SafeText

/// Colours, only for terminals and unless disabled (https://no-color.org).
enum TerminalStyle {
  /// What works.
  case good
  /// Needs attention.
  case caution
  /// What should not be overlooked.
  case alarm
  /// The heads of tables, and what names the lines below it.
  case heading

  /// - Parameter environment: a variable's value by its name.
  static func isColoured(isTerminal: Bool, environment: (String) -> String?) -> Bool {
    isTerminal && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
  }

  /// The text in this style where standard output, or another stream, shows colours; without controls of its own.
  func text(_ text: String, descriptor: CInt = STDOUT_FILENO) -> String {
    let isColoured = Self.isColoured(isTerminal: isatty(descriptor) == 1) { name in
      getenv(name).map { String(cString: $0) }
    }
    return isColoured ? "\u{1B}[\(parameters)m\(text.escapingControls)\u{1B}[0m" : text.escapingControls
  }

  /// The parameters of the control function SGR (ECMA-48).
  private var parameters: String {
    switch self {
    case .good: "32"
    case .caution: "33"
    case .alarm: "1;31"
    case .heading: "1"
    }
  }
}
