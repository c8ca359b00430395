import ControlMessages
import FoundationEssentials

/// A query as the JSON object of a method's parameters: its texts become what the fields hold.
struct QueryParameters {
  let json: [UInt8]

  /// - Throws: ``VarlinkError/invalidParameter(_:)`` for a field that there is not, that comes twice or has no fitting value.
  init(_ query: [URLQueryItem], for method: InterfaceMethod) throws {
    let fields = MessageSchema(of: method.parameters).fields
    var values: [String: JSONScalar] = [:]
    for item in query {
      guard let field = fields.first(where: { $0.name == item.name }), values[item.name] == nil,
        let value = JSONScalar(item.value ?? "", as: field.value)
      else { throw VarlinkError.invalidParameter(item.name) }
      values[item.name] = value
    }
    json = Array(try JSONEncoder().encode(values))
  }
}

/// A value of a field that is no record and no list.
private enum JSONScalar: Encodable {
  case bool(Bool)
  case int(Int64)
  case float(Double)
  case text(String)

  /// Returns nil where the text is no such value.
  init?(_ text: String, as value: MessageSchema.Value) {
    let parsed: JSONScalar? =
      switch value {
      case .bool: Bool(text).map(JSONScalar.bool)
      case .int: Int64(text).map(JSONScalar.int)
      case .float: Double(text).flatMap { $0.isFinite ? .float($0) : nil }
      case .string: .text(text)
      case .named(let type): type is any RawRepresentable.Type ? .text(text) : nil
      case .array: nil
      }
    guard let parsed else { return nil }
    self = parsed
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .float(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    }
  }
}
