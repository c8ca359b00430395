/// JSON as the API's description is made of.
enum JSONTree: Sendable, Equatable {
  case bool(Bool)
  case number(Int64)
  case text(String)
  indirect case list([JSONTree])
  indirect case object([String: JSONTree])

  /// The member of an object; nil where there is none.
  subscript(_ name: String) -> JSONTree? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  /// The object with these members, too, which take the place of those with the same names.
  func adding(_ members: [String: JSONTree]) -> JSONTree {
    guard case .object(let own) = self else { return self }
    return .object(own.merging(members) { _, new in new })
  }
}

extension JSONTree: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let items): try container.encode(items)
    case .object(let members): try container.encode(members)
    }
  }
}

extension JSONTree: ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  init(stringLiteral value: String) { self = .text(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(integerLiteral value: Int64) { self = .number(value) }
}

extension JSONTree: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  init(arrayLiteral items: JSONTree...) { self = .list(items) }

  init(dictionaryLiteral members: (String, JSONTree)...) {
    self = .object(Dictionary(members) { _, last in last })
  }
}
