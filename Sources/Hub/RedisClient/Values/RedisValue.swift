/// A reply of RESP2 (https://redis.io/docs/latest/develop/reference/protocol-spec), or an element of one.
///
/// Strings are octets: Redis promises no encoding, and one array is a single allocation. Simple strings (`+OK`) and bulk
/// strings are the same here.
public enum RedisValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case string([UInt8])
  case array([RedisValue])
  /// The server's refusal of a command, or of one element of a transaction.
  case error(RedisError)
}

extension RedisValue {
  /// The text of a string, invalid UTF-8 repaired; `nil` for other kinds. Copies the octets.
  public var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  /// The octets of a string; `nil` for other kinds.
  public var bytes: [UInt8]? {
    guard case .string(let bytes) = self else { return nil }
    return bytes
  }

  /// An integer, or a string that is one; `nil` for other kinds.
  public var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .string(let bytes): Int64(String(decoding: bytes, as: UTF8.self))
    case .null, .array, .error: nil
    }
  }

  /// The elements of an array; `nil` for other kinds.
  public var elements: [RedisValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  public var error: RedisError? {
    guard case .error(let error) = self else { return nil }
    return error
  }

  public var isNull: Bool { self == .null }

  /// The value itself.
  ///
  /// - Throws: the server's error when the value is one.
  public func get() throws(RedisError) -> RedisValue {
    if let error { throw error }
    return self
  }
}

/// An error reply.
///
/// The text is the server's. What it repeats of an unknown command's arguments, which may be secret, is left out.
public struct RedisError: Error, Sendable, Hashable {
  /// The first word when it is in capitals (`WRONGTYPE`, `NOPERM`), otherwise `ERR`.
  public let code: String
  /// The server's message, at most 512 octets of it.
  public let message: String

  public init(_ text: String) {
    let message = text.firstRange(of: ", with args beginning with:").map { String(text[..<$0.lowerBound]) } ?? text
    let word = message.prefix { $0 != " " }
    let isCode = !word.isEmpty && word.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    code = isCode ? String(word) : "ERR"
    self.message = message
  }
}

extension RedisError: CustomStringConvertible {
  public var description: String { message }
}
