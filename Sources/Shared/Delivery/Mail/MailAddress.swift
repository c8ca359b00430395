/// An address to which mail is sent: the `addr-spec` of RFC 5322 §3.4.1 with a dot-atom on both sides of the `@`.
///
/// So it has no space, quote, comma, control or line end: a header always stays one header.
public struct MailAddress: Sendable, Hashable {
  public let text: String

  /// Nil for anything else, and for more than 254 octets (RFC 5321 §4.5.3.1.3, less the angle brackets).
  public init?(_ text: String) {
    let sides = text.split(separator: "@", omittingEmptySubsequences: false)
    guard sides.count == 2, text.utf8.count <= 254, Self.isDotAtom(sides[0]), Self.isDotAtom(sides[1]),
      sides[0].utf8.count <= 64, !sides[0].hasPrefix("-")
    else { return nil }
    self.text = text
  }

  /// Words of `atext` that are joined by single dots.
  private static func isDotAtom(_ text: Substring) -> Bool {
    text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { word in
      !word.isEmpty && word.utf8.allSatisfy(isAtomText)
    }
  }

  private static func isAtomText(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }
  }
}

extension MailAddress: CustomStringConvertible {
  public var description: String { text }
}
