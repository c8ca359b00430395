import FoundationEssentials

/// A JSON value of any shape, to be written.
enum JSONDocument: Encodable, Hashable, Sendable {
  case text(String)
  case number(Double)
  case flag(Bool)
  case list([JSONDocument])
  case object([String: JSONDocument])

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .flag(let flag): try container.encode(flag)
    case .list(let values): try container.encode(values)
    case .object(let values): try container.encode(values)
    }
  }

  /// Compact, its keys in order, so that equal documents are equal texts. A number that JSON lacks makes it empty.
  var octets: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { Array($0) } ?? []
  }
}
