/// A JSON text (RFC 8259) as far as tokens and key sets need it: a strict parser without Foundation.
///
/// Bounded by the length that the caller admits and by ``JSONParser/maximumDepth``. Duplicate names are refused, since
/// two readers could take different ones.
enum JSONValue: Equatable {
  case string(String)
  case integer(Int64)
  case array([JSONValue])
  case object([String: JSONValue])
  /// `true`, `false`, `null`, fractions and what exceeds 64 bits: nothing that is needed here.
  case other

  init?(_ bytes: [UInt8]) {
    var parser = JSONParser(bytes)
    guard let value = parser.parseText() else { return nil }
    self = value
  }

  /// An object's string member; nil otherwise.
  func string(_ name: String) -> String? {
    if case .object(let members) = self, case .string(let text)? = members[name] { text } else { nil }
  }

  func integer(_ name: String) -> Int64? {
    if case .object(let members) = self, case .integer(let number)? = members[name] { number } else { nil }
  }

  /// An object's object member; nil otherwise.
  func object(_ name: String) -> JSONValue? {
    if case .object(let members) = self, case .object? = members[name] { members[name] } else { nil }
  }

  func has(_ name: String) -> Bool {
    if case .object(let members) = self { members[name] != nil } else { false }
  }
}

/// Reads one JSON text; every method returns nil where the text is no JSON.
struct JSONParser {
  /// Objects and arrays within each other.
  static let maximumDepth = 8

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func parseText() -> JSONValue? {
    guard let value = parseValue() else { return nil }
    skipSpace()
    return position == bytes.count ? value : nil
  }

  private mutating func parseValue() -> JSONValue? {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return nested { $0.parseObject() }
    case UInt8(ascii: "["): return nested { $0.parseArray() }
    case UInt8(ascii: "\""): return parseString().map { .string($0) }
    case UInt8(ascii: "t"): return parseWord("true")
    case UInt8(ascii: "f"): return parseWord("false")
    case UInt8(ascii: "n"): return parseWord("null")
    default: return parseNumber()
    }
  }

  private mutating func nested(_ parse: (inout JSONParser) -> JSONValue?) -> JSONValue? {
    guard depth < Self.maximumDepth else { return nil }
    depth += 1
    defer { depth -= 1 }
    position += 1
    return parse(&self)
  }

  private mutating func parseObject() -> JSONValue? {
    var members: [String: JSONValue] = [:]
    if take("}") { return .object(members) }
    repeat {
      skipSpace()
      guard let name = parseString(), take(":"), let value = parseValue() else { return nil }
      guard members.updateValue(value, forKey: name) == nil else { return nil }
    } while take(",")
    return take("}") ? .object(members) : nil
  }

  private mutating func parseArray() -> JSONValue? {
    var elements: [JSONValue] = []
    if take("]") { return .array(elements) }
    repeat {
      guard let value = parseValue() else { return nil }
      elements.append(value)
    } while take(",")
    return take("]") ? .array(elements) : nil
  }

  private mutating func parseWord(_ word: StaticString) -> JSONValue? {
    for byte in "\(word)".utf8 {
      guard next == byte else { return nil }
      position += 1
    }
    return .other
  }

  // MARK: Parts

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
  }

  /// Takes a character, after any space; returns false where another stands.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }
}

// MARK: - Numbers

extension JSONParser {
  private mutating func parseNumber() -> JSONValue? {
    let start = position
    if next == UInt8(ascii: "-") { position += 1 }
    guard let first = next, takeDigits() > 0 else { return nil }
    let isPadded = first == UInt8(ascii: "0") && position > digitsStart(start) + 1
    guard !isPadded else { return nil }
    let end = position
    guard takeFraction(), takeExponent() else { return nil }
    guard position == end, let number = Int64(String(decoding: bytes[start..<end], as: UTF8.self)) else {
      return .other
    }
    return .integer(number)
  }

  private func digitsStart(_ start: Int) -> Int { bytes[start] == UInt8(ascii: "-") ? start + 1 : start }

  private mutating func takeDigits() -> Int {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position - start
  }

  /// Returns false for a fraction without digits.
  private mutating func takeFraction() -> Bool {
    guard next == UInt8(ascii: ".") else { return true }
    position += 1
    return takeDigits() > 0
  }

  private mutating func takeExponent() -> Bool {
    guard next == UInt8(ascii: "e") || next == UInt8(ascii: "E") else { return true }
    position += 1
    if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
    return takeDigits() > 0
  }
}

// MARK: - Strings

extension JSONParser {
  private mutating func parseString() -> String? {
    guard next == UInt8(ascii: "\"") else { return nil }
    position += 1
    var octets: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: octets, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = parseEscape() else { return nil }
        octets += Array(String(scalar).utf8)
      case 0..<0x20: return nil
      default: octets.append(byte)
      }
    }
    return nil
  }

  private mutating func parseEscape() -> Unicode.Scalar? {
    guard let byte = next else { return nil }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return parseUnit().flatMap { parseScalar($0) }
    default: return nil
    }
  }

  /// Joins a surrogate pair; a lone surrogate is invalid.
  private mutating func parseScalar(_ unit: UInt32) -> Unicode.Scalar? {
    guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) }
    guard next == UInt8(ascii: "\\") else { return nil }
    position += 1
    guard next == UInt8(ascii: "u") else { return nil }
    position += 1
    guard let low = parseUnit(), (0xDC00..<0xE000).contains(low) else { return nil }
    return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
  }

  private mutating func parseUnit() -> UInt32? {
    guard bytes.count - position >= 4 else { return nil }
    let digits = bytes[position..<(position + 4)]
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
    position += 4
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
