/// Strict checks of names that come from the network and go into paths.
enum Identifier {
  /// Letters, digits, `-` and `_`: ids of sessions, uploads, archives.
  static func isValid(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { isWordByte($0) }
  }

  /// An id with dots that are neither first nor in a row, so that no name climbs out of a folder or hides.
  static func isValidFileName(_ text: String) -> Bool {
    guard (1...128).contains(text.utf8.count), !text.hasPrefix("."), !text.contains("..") else { return false }
    return text.utf8.allSatisfy { isWordByte($0) || $0 == UInt8(ascii: ".") }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}
