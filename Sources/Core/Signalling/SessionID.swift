/// Names a session, which is a call or the attempt of one: the `{id}` of the hub's paths, and what events call `sessionID`.
///
/// The caller makes it, a UUID in lower case. What this type holds is safe in a path, a file's name and a log.
public struct SessionID: Hashable, Sendable {
  public let text: String

  /// Returns nil unless the text is 1 to 128 ASCII letters, digits, `-` and `_`.
  public init?(_ text: String) {
    guard (1...MessageLimits.identifier).contains(text.utf8.count), text.utf8.allSatisfy({ $0.isIdentifierByte }) else {
      return nil
    }
    self.text = text
  }
}

extension SessionID: CustomStringConvertible {
  public var description: String { text }
}

extension SessionID: ExpressibleByStringLiteral {
  /// A literal has to name a session; one that cannot is a programmer's mistake.
  public init(stringLiteral text: String) {
    guard let id = SessionID(text) else { preconditionFailure("a literal that is no session's id") }
    self = id
  }
}

extension SessionID: Comparable {
  public static func < (first: SessionID, second: SessionID) -> Bool { first.text < second.text }
}

extension UInt8 {
  /// Whether this is an ASCII letter, a digit, `-` or `_`.
  var isIdentifierByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}
