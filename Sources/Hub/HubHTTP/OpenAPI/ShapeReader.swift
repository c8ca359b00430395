internal import Signalling

/// Reads the JSON Schema of a type from how the type decodes itself: the names of members, what they are and which may
/// be absent stand in the type alone.
///
/// A type is made to decode itself from nothing, and what it asks for is written down. Members with a type of their own
/// refer to `#/components/schemas/…`.
final class ShapeReader {
  /// JSON Schema's keywords of members, by type and member: what a type does not say.
  typealias Notes = [String: [String: [String: JSONTree]]]

  /// The schemas of the types met so far, by name.
  private(set) var components: [String: JSONTree] = [:]
  private var notes: Notes

  init(notes: Notes) { self.notes = notes }

  /// Notes on what no type has.
  var strayNotes: [String] { notes.flatMap { type, members in members.keys.map { "\(type).\($0)" } }.sorted() }

  func schema<Value: Decodable>(of type: Value.Type) throws -> JSONTree { try read(type).schema }

  /// The schema, and a value that keeps the type going that has asked for it.
  fileprivate func read<Value: Decodable>(_ type: Value.Type) throws -> (schema: JSONTree, sample: Value) {
    guard let (schema, sample) = try simple(type) else { return try structure(type) }
    guard let sample = sample as? Value else { throw ShapeError.hasNoSample("\(type)") }
    return (schema, sample)
  }

  /// Of what is no structure with members.
  private func simple(_ type: any Decodable.Type) throws -> (JSONTree, Any)? {
    switch type {
    case is String.Type: (["type": "string"], "")
    case is Bool.Type: (["type": "boolean"], false)
    case is Double.Type: (["type": "number"], 0.0)
    case let integer as any FixedWidthInteger.Type: (["type": "integer"], Self.zero(integer))
    case let name as any TextIdentifier.Type: try identifier(name)
    case let list as any ListShape.Type: (try list.schema(self), list.none)
    case let words as any CaseIterable.Type: try enumeration(words)
    default: nil
    }
  }

  private static func zero<Number: FixedWidthInteger>(_ type: Number.Type) -> Any { Number.zero }

  private func identifier(_ type: any TextIdentifier.Type) throws -> (JSONTree, Any) {
    guard let form = TextForm.of["\(type)"], let sample = type.init(form.example) else {
      throw ShapeError.hasNoForm("\(type)")
    }
    return (["type": "string", "pattern": .text(form.pattern)], sample)
  }

  private func enumeration(_ type: any CaseIterable.Type) throws -> (JSONTree, Any) {
    let cases = Self.cases(type)
    let words = cases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
    guard let first = cases.first, words.count == cases.count else { throw ShapeError.hasNoSample("\(type)") }
    return (["type": "string", "enum": .list(words.map { .text($0) })], first)
  }

  private static func cases<Words: CaseIterable>(_ type: Words.Type) -> [Any] { Array(type.allCases) }

  private func structure<Value: Decodable>(_ type: Value.Type) throws -> (JSONTree, Value) {
    let shape = Shape(reader: self)
    let sample = try Value(from: ShapeDecoder(shape: shape))
    if let schema = shape.single { return (schema, sample) }
    let name = "\(type)"
    components[name] = components[name] ?? object(shape, notes.removeValue(forKey: name) ?? [:], of: name)
    return (["$ref": "#/components/schemas/\(name)"], sample)
  }

  private func object(_ shape: Shape, _ notes: [String: [String: JSONTree]], of type: String) -> JSONTree {
    var members = shape.members
    for (name, inner) in shape.inner { members[name] = inner.single }
    for (name, keywords) in notes {
      if name.isEmpty { continue }
      guard let member = members[name] else {
        self.notes[type, default: [:]][name] = keywords
        continue
      }
      members[name] = member.adding(keywords)
    }
    let required = members.keys.filter { !shape.optional.contains($0) }.sorted()
    let schema: JSONTree = ["type": "object", "properties": .object(members)]
    return schema.adding(required.isEmpty ? [:] : ["required": .list(required.map { .text($0) })])
      .adding(notes[""] ?? [:])
  }
}

/// A type that cannot be described; a test reads all.
private enum ShapeError: Error {
  case hasNoSample(String)
  /// An identifier that ``TextForm`` lacks.
  case hasNoForm(String)
  case isOfNoKnownShape
}

private protocol ListShape {
  static func schema(_ reader: ShapeReader) throws -> JSONTree
  static var none: Any { get }
}

extension Array: ListShape where Element: Decodable {
  fileprivate static func schema(_ reader: ShapeReader) throws -> JSONTree {
    ["type": "array", "items": try reader.schema(of: Element.self)]
  }

  fileprivate static var none: Any { [Element]() }
}

/// What a type has asked for.
private final class Shape {
  let reader: ShapeReader
  var members: [String: JSONTree] = [:]
  /// Members that a decoder of their own reads.
  var inner: [String: Shape] = [:]
  var optional: Set<String> = []
  /// Of a type that is no object.
  var single: JSONTree?
  var isNullable = false

  init(reader: ShapeReader) { self.reader = reader }
}

private struct ShapeDecoder: Decoder {
  let shape: Shape
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(MemberReader<Key>(shape: shape))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw ShapeError.isOfNoKnownShape }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleReader(shape: shape) }
}

private struct SingleReader: SingleValueDecodingContainer {
  let shape: Shape
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool {
    shape.isNullable = true
    return false
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let (schema, sample) = try shape.reader.read(type)
    shape.single = shape.isNullable ? ["anyOf": [schema, ["type": "null"]]] : schema
    return sample
  }
}

/// Whether a member may be absent is asked before the member is, by `decodeIfPresent`.
private struct MemberReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let shape: Shape
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool {
    shape.optional.insert(key.stringValue)
    return true
  }

  func decodeNil(forKey key: Key) throws -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let (schema, sample) = try shape.reader.read(type)
    shape.members[key.stringValue] = schema
    return sample
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    let inner = Shape(reader: shape.reader)
    shape.inner[key.stringValue] = inner
    return ShapeDecoder(shape: inner)
  }

  func superDecoder() throws -> any Decoder { throw ShapeError.isOfNoKnownShape }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> { throw ShapeError.isOfNoKnownShape }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw ShapeError.isOfNoKnownShape
  }
}
