/// What a type asks for when it decodes itself: the names of its members, their types and which may be absent, which
/// stand in the type alone.
///
/// It is made to decode itself from nothing, and what it asks for is written down. Descriptions of interfaces and the
/// check for unknown fields cannot differ so from what is decoded.
public struct DecodableShape {
  public indirect enum Content {
    case type(any Decodable.Type)
    /// Read by a decoder of its own, as a base class or a flattened part is.
    case shape(DecodableShape)
  }

  public struct Member {
    public let name: String
    public let content: Content
    public let isOptional: Bool
  }

  /// In the order in which they are asked for; none of a type that is no object.
  public let members: [Member]
  /// What a type that is no object is written as, and whether it may be null.
  public let single: (type: any Decodable.Type, isNullable: Bool)?

  /// Makes a value of a type that cannot decode itself from nothing; nil for other types.
  public typealias Sample = (any Decodable.Type) throws -> Any?

  /// - Throws: ``NoShape`` for a type that reads an array, or several containers.
  public init(of type: any Decodable.Type, sample: @escaping Sample = { _ in nil }) throws {
    let recorder = ShapeRecorder(sample)
    _ = try type.init(from: RecordingDecoder(recorder: recorder))
    self.init(recorder)
  }

  /// A list's elements; nil for other types.
  public static func element(of type: any Decodable.Type) -> (any Decodable.Type)? {
    (type as? any DecodableList.Type)?.element
  }

  fileprivate init(_ recorder: ShapeRecorder) {
    members = recorder.members.map { name, content in
      let content: Content =
        switch content {
        case .type(let type): .type(type)
        case .inner(let inner): .shape(DecodableShape(inner))
        }
      return Member(name: name, content: content, isOptional: recorder.optional.contains(name))
    }
    single = recorder.single
  }
}

/// A type whose shape is none that ``DecodableShape`` knows.
public struct NoShape: Error, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

private protocol DecodableList {
  static var element: any Decodable.Type { get }
  static var none: Any { get }
}

extension Array: DecodableList where Element: Decodable {
  fileprivate static var element: any Decodable.Type { Element.self }
  fileprivate static var none: Any { [Element]() }
}

/// What a decoder was asked for. Lives on one thread during one `init`.
private final class ShapeRecorder {
  enum Content {
    case type(any Decodable.Type)
    case inner(ShapeRecorder)
  }

  let sample: DecodableShape.Sample
  var members: [(name: String, Content)] = []
  var optional: Set<String> = []
  var single: (type: any Decodable.Type, isNullable: Bool)?
  var isNullable = false

  init(_ sample: @escaping DecodableShape.Sample) { self.sample = sample }

  /// Some value of a type that a message may hold, which keeps the type going that has asked for it.
  func value<Value: Decodable>(of type: Value.Type) throws -> Value {
    let value: Any? =
      switch type {
      case is String.Type: ""
      case is Bool.Type: false
      case let number as any ExpressibleByIntegerLiteral.Type: Self.zero(number)
      case let list as any DecodableList.Type: list.none
      case let cases as any CaseIterable.Type: Self.first(cases)
      default: try sample(type) ?? type.init(from: RecordingDecoder(recorder: ShapeRecorder(sample)))
      }
    guard let value = value as? Value else { throw NoShape("\(type) has no value to go on with") }
    return value
  }

  private static func zero<Number: ExpressibleByIntegerLiteral>(_ type: Number.Type) -> Any { 0 as Number }

  private static func first<Cases: CaseIterable>(_ type: Cases.Type) -> Any? { type.allCases.first }
}

private struct RecordingDecoder: Decoder {
  let recorder: ShapeRecorder
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(MemberRecorder<Key>(recorder: recorder))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoShape("a list of its own") }

  func singleValueContainer() -> any SingleValueDecodingContainer { SingleRecorder(recorder: recorder) }
}

private struct SingleRecorder: SingleValueDecodingContainer {
  let recorder: ShapeRecorder
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool {
    recorder.isNullable = true
    return false
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    recorder.single = (type, recorder.isNullable)
    return try recorder.value(of: type)
  }
}

/// Whether a member may be absent is asked before the member is, by `decodeIfPresent`.
private struct MemberRecorder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let recorder: ShapeRecorder
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool {
    recorder.optional.insert(key.stringValue)
    return true
  }

  func decodeNil(forKey key: Key) -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    recorder.members.append((key.stringValue, .type(type)))
    return try recorder.value(of: type)
  }

  func superDecoder(forKey key: Key) -> any Decoder {
    let inner = ShapeRecorder(recorder.sample)
    recorder.members.append((key.stringValue, .inner(inner)))
    return RecordingDecoder(recorder: inner)
  }

  func superDecoder() throws -> any Decoder { throw nested }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> { throw nested }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw nested }

  private var nested: NoShape { NoShape("containers within its own") }
}
