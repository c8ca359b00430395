// Text from outside, made fit for a line of a log or a terminal.
//
// A line feed begins a record of its own in a log, escape sequences command a terminal, and bidirectional controls show
// a line in another order than it has. All of this is checked per Unicode scalar: a carriage return with its line
// feed is a single `Character`, and a C1 control is one scalar of two bytes.

extension StringProtocol {
  /// The text with each control scalar written out, as `\n` or `\u{1B}`, so that it is one line and commands nothing.
  /// Escaped text stays unchanged.
  public var escapingControls: String {
    replacing { scalar in
      switch scalar {
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
  }

  /// As ``escapingControls``, for text whose line feeds are intended: quoted parts have been escaped separately.
  public var escapingControlsInLines: String {
    String(self).unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).escapingControls }.joined(separator: "\n")
  }

  /// JSON with the control scalars of its strings as `\u001B`; encoders leave some as they are.
  public var escapingControlsInJSON: String {
    replacing { scalar in
      String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16, uppercase: true)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }
  }

  private func replacing(_ replacement: (Unicode.Scalar) -> String) -> String {
    guard unicodeScalars.contains(where: { $0.isControl }) else { return String(self) }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isControl { text += replacement(scalar) } else { text.unicodeScalars.append(scalar) }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// Whether the scalar does something rather than show something: C0, DEL and C1, separators of lines and paragraphs,
  /// and formatting, bidirectional controls among it. Excludes the joiners that scripts and emoji need.
  fileprivate var isControl: Bool {
    if value < 0x7F { return value < 0x20 }
    if self == "\u{200C}" || self == "\u{200D}" { return false }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }
}
