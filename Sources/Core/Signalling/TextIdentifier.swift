/// An id that is a short text of ASCII letters, digits, `-` and `_`: safe in a path, a file's name and a log.
///
/// Ids compare by their text, octet by octet.
public protocol TextIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  var text: String { get }

  /// Returns nil for a text that cannot be such an id.
  init?(_ text: String)
}

extension TextIdentifier {
  public var description: String { text }

  public static func < (first: Self, second: Self) -> Bool { first.text < second.text }

  /// A literal has to be an id; one that cannot is a programmer's mistake.
  public init(stringLiteral text: String) {
    guard let id = Self(text) else { preconditionFailure("a literal that is no id") }
    self = id
  }
}

extension String {
  /// Whether this is 1 to `limit` ASCII letters, digits, `-` and `_`.
  func isIdentifier(upTo limit: Int) -> Bool {
    (1...limit).contains(utf8.count) && utf8.allSatisfy { $0.isIdentifierByte }
  }
}

extension UInt8 {
  fileprivate var isIdentifierByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}
