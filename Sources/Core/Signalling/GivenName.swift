internal import SafeText

/// What an operator calls something of a device (a source of events, a rule), or what stands beside it for people to read:
/// one line of 1 to 64 bytes that cannot pass for anything else where it is shown.
///
/// No controls, nothing that turns the direction of text, no `<` and `>`, no blank at either end.
public struct GivenName: Hashable, Sendable, CustomStringConvertible {
  public let text: String

  /// Returns nil for any other text.
  public init?(_ text: String) {
    guard (1...MessageLimits.code).contains(text.utf8.count), text.utf8.first != UInt8(ascii: " "),
      text.utf8.last != UInt8(ascii: " "),
      !text.unicodeScalars.contains(where: { $0 == "<" || $0 == ">" }), text.escapingControls == text
    else { return nil }
    self.text = text
  }

  public var description: String { text }
}
