/// Names something that a device has noticed, such as `20261124T195512Z-9f3c01ab`: when it began (UTC), and eight
/// hexadecimal digits.
public struct DetectedEventID: TextIdentifier {
  public let text: String

  private static let form = "00000000T000000Z-ffffffff"

  /// Returns nil for a text of any other form.
  public init?(_ text: String) {
    guard text.utf8.count == Self.form.utf8.count else { return nil }
    let matches = zip(text.utf8, Self.form.utf8).allSatisfy { Self.matches($0, $1) }
    guard matches else { return nil }
    self.text = text
  }

  private static func matches(_ byte: UInt8, _ form: UInt8) -> Bool {
    let isDigit = UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    switch form {
    case UInt8(ascii: "0"): return isDigit
    case UInt8(ascii: "f"): return isDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
    default: return byte == form
    }
  }
}
