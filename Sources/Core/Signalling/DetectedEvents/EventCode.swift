/// A code of a growing list, such as the kind of an event, an action or a reason: 1 to 64 ASCII lower-case letters,
/// digits and `-`, a letter first.
public struct EventCode: TextIdentifier {
  public let text: String

  public init?(_ text: String) {
    guard text.isIdentifier(upTo: MessageLimits.code), let first = text.utf8.first, Self.isLetter(first),
      text.utf8.allSatisfy({
        Self.isLetter($0) || $0 == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
      })
    else { return nil }
    self.text = text
  }

  private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }
}
