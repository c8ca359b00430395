internal import FoundationEssentials
internal import SystemSupport

/// The fields of a message, read off its `Decodable` conformance.
public struct MessageSchema {
  /// A field's value on the wire.
  public indirect enum Value {
    case bool
    case int
    case float
    /// Also octets, in base64, and enums that have no name of their own.
    case string
    case array(of: Value)
    /// A message or an enum.
    case named(any Decodable.Type)

    init(_ type: any Decodable.Type) {
      self =
        switch type {
        case is Bool.Type: .bool
        case is Double.Type: .float
        case is any FixedWidthInteger.Type: .int
        case is String.Type, is Data.Type: .string
        default: DecodableShape.element(of: type).map { .array(of: Self($0)) } ?? .named(type)
        }
    }

    /// The message or enum that it is, or a list of.
    var namedType: (any Decodable.Type)? {
      switch self {
      case .named(let type): type
      case .array(let element): element.namedType
      case .bool, .int, .float, .string: nil
      }
    }
  }

  public struct Field {
    public let name: String
    public let value: Value
    public let isOptional: Bool
  }

  /// In the order in which they are declared.
  public let fields: [Field]

  /// - Parameter type: whose `init(from:)` reads one keyed container, as the compiler makes it. Traps where it does
  ///   anything else, which any test that asks for the schema shows.
  public init(of type: any Decodable.Type) {
    do {
      let shape = try DecodableShape(of: type) { $0 is Data.Type ? Data() : nil }
      fields = try shape.members.map { member in
        guard case .type(let type) = member.content else { throw NoShape("a part of its own") }
        return Field(name: member.name, value: Value(type), isOptional: member.isOptional)
      }
    } catch {
      preconditionFailure("\(type) is no plain message: \(error)")
    }
  }
}
