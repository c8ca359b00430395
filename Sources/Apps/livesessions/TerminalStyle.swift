import Glibc
import SafeText

/// Colours, which are for terminals alone and not for who has asked for none (https://no-color.org).
enum TerminalStyle {
  /// - Parameter environment: a variable's value by its name.
  static func isColoured(isTerminal: Bool, environment: (String) -> String?) -> Bool {
    isTerminal && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
  }

  /// A line that should not be overlooked: bold and red where there are colours (ECMA-48, SGR).
  static func alarm(_ text: String) -> String {
    let isColoured = isColoured(isTerminal: Output.isTerminal) { name in getenv(name).map { String(cString: $0) } }
    return isColoured ? "\u{1B}[1;31m\(text.escapingControls)\u{1B}[0m" : text.escapingControls
  }
}
