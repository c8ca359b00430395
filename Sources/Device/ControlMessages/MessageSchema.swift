internal import FoundationEssentials

/// The fields of a message, read off its `Decodable` conformance, so that the interface's definition and the check for unknown fields cannot
/// differ from what is decoded.
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
  }

  public struct Field {
    public let name: String
    public let value: Value
    public let isOptional: Bool
  }

  /// In the order in which they are declared.
  public let fields: [Field]

  /// - Parameter type: whose `init(from:)` reads one keyed container, as the compiler makes it. Traps where it does anything else, which
  ///   any test that asks for the schema shows.
  public init(of type: any Decodable.Type) {
    let recorder = FieldRecorder()
    do {
      _ = try type.init(from: RecordingDecoder(recorder: recorder))
    } catch {
      preconditionFailure("\(type) is no plain message: \(error)")
    }
    fields = recorder.fields
  }
}

/// The fields that a decoder was asked for. Lives on one thread during one `init`.
private final class FieldRecorder {
  var fields: [MessageSchema.Field] = []

  func note(_ key: any CodingKey, _ value: MessageSchema.Value, isOptional: Bool) {
    fields.append(MessageSchema.Field(name: key.stringValue, value: value, isOptional: isOptional))
  }
}

/// Hands out empty values, and records under which keys it was asked for them.
private struct RecordingDecoder: Decoder {
  let recorder: FieldRecorder
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RecordingContainer<Key>(recorder: recorder))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoPlainMessage() }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NoPlainMessage() }
}

private struct NoPlainMessage: Error {}

private struct RecordingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let recorder: FieldRecorder
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { true }

  func decodeNil(forKey key: Key) throws -> Bool { throw NoPlainMessage() }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    recorder.note(key, MessageSchema.Value(type), isOptional: false)
    return try emptyValue(of: type)
  }

  // The library's own versions for the simple types would ask whether the value is null.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { absent(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { absent(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { absent(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { absent(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { absent(type, key) }
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? { absent(type, key) }

  private func absent<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
    recorder.note(key, MessageSchema.Value(type), isOptional: true)
    return nil
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> { throw NoPlainMessage() }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw NoPlainMessage() }

  func superDecoder() throws -> any Decoder { throw NoPlainMessage() }

  func superDecoder(forKey key: Key) throws -> any Decoder { throw NoPlainMessage() }
}

/// Some value of a type that a message may hold.
private func emptyValue<Value: Decodable>(of type: Value.Type) throws -> Value {
  let value: Any? =
    switch type {
    case let type as any ExpressibleByIntegerLiteral.Type: zero(of: type)
    case is Bool.Type: false
    case is String.Type: ""
    case is Data.Type: Data()
    case let type as any EmptyArray.Type: type.empty
    case let type as any CaseIterable.Type: firstCase(of: type)
    default: try Value(from: RecordingDecoder(recorder: FieldRecorder()))
    }
  guard let value = value as? Value else { throw NoPlainMessage() }
  return value
}

private func zero<Number: ExpressibleByIntegerLiteral>(of type: Number.Type) -> Number { 0 }

private func firstCase<Cases: CaseIterable>(of type: Cases.Type) -> Cases? { type.allCases.first }

private protocol EmptyArray {
  static var empty: Self { get }
  static var element: any Decodable.Type { get }
}

extension Array: EmptyArray where Element: Decodable {
  static var empty: Self { [] }
  static var element: any Decodable.Type { Element.self }
}

extension MessageSchema.Value {
  init(_ type: any Decodable.Type) {
    self =
      switch type {
      case is Bool.Type: .bool
      case is Double.Type: .float
      case is any FixedWidthInteger.Type: .int
      case is String.Type, is Data.Type: .string
      case let type as any EmptyArray.Type: .array(of: Self(type.element))
      default: .named(type)
      }
  }
}
