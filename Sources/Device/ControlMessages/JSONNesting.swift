/// Checks JSON before it is parsed, since parsers recurse.
public enum JSONNesting {
  /// The deepest nesting that the daemon takes.
  public static let defaultLimit = 16

  /// Whether no object or array in `json` lies deeper than `limit`. Malformed text may pass; the parser refuses it.
  public static func isWithin(_ limit: Int = defaultLimit, _ json: some Sequence<UInt8>) -> Bool {
    var depth = 0
    var isInString = false
    var isEscaped = false
    for byte in json {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        if depth > limit { return false }
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    return true
  }
}
