/// A reply of Redis's (RESP2).
public enum RedisValue: Sendable, Equatable {
  case null
  case integer(Int64)
  /// A bulk or simple string. What is no UTF-8 is mended.
  case string(String)
  case array([RedisValue])
  /// As Redis words it: `WRONGTYPE …`.
  case error(String)

  /// Nil for what is no string; a number as its digits.
  public var text: String? {
    switch self {
    case .string(let text): text
    case .integer(let value): "\(value)"
    case .null, .array, .error: nil
    }
  }
}
