internal import Signalling
internal import SystemSupport

/// Reads the JSON Schema of a type from how the type decodes itself: the names of members, what they are and which may
/// be absent stand in the type alone.
///
/// Members with a type of their own refer to `#/components/schemas/…`.
final class ShapeReader {
  /// JSON Schema's keywords of members, by type and member: what a type does not say.
  typealias Notes = [String: [String: [String: JSONTree]]]

  /// The schemas of the types met so far, by name.
  private(set) var components: [String: JSONTree] = [:]
  private var notes: Notes

  init(notes: Notes) { self.notes = notes }

  /// Notes on what no type has.
  var strayNotes: [String] { notes.flatMap { type, members in members.keys.map { "\(type).\($0)" } }.sorted() }

  func schema(of type: any Decodable.Type) throws -> JSONTree {
    switch type {
    case is String.Type: ["type": "string"]
    case is Bool.Type: ["type": "boolean"]
    case is Double.Type: ["type": "number"]
    case is any FixedWidthInteger.Type: ["type": "integer"]
    case let name as any TextIdentifier.Type: ["type": "string", "pattern": .text(try Self.form(of: name).pattern)]
    case let words as any CaseIterable.Type: ["type": "string", "enum": .list(try Self.words(of: words))]
    default:
      try DecodableShape.element(of: type).map { ["type": "array", "items": try schema(of: $0)] } ?? structure(type)
    }
  }

  private static func form(of type: any TextIdentifier.Type) throws -> TextForm {
    guard let form = TextForm.of["\(type)"] else { throw ShapeError.hasNoForm("\(type)") }
    return form
  }

  private static func words<Words: CaseIterable>(of type: Words.Type) throws -> [JSONTree] {
    let cases = Array(type.allCases)
    let words = cases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
    guard !words.isEmpty, words.count == cases.count else { throw ShapeError.hasNoSample("\(type)") }
    return words.map { .text($0) }
  }

  private func structure(_ type: any Decodable.Type) throws -> JSONTree {
    let shape = try DecodableShape(of: type) { inner in
      guard let name = inner as? any TextIdentifier.Type else { return nil }
      return name.init(try Self.form(of: name).example)
    }
    if let schema = try single(shape) { return schema }
    let name = "\(type)"
    components[name] = try components[name] ?? object(shape, notes.removeValue(forKey: name) ?? [:], of: name)
    return ["$ref": "#/components/schemas/\(name)"]
  }

  /// Of a type that is no object.
  private func single(_ shape: DecodableShape) throws -> JSONTree? {
    guard let single = shape.single else { return nil }
    let schema = try schema(of: single.type)
    return single.isNullable ? ["anyOf": [schema, ["type": "null"]]] : schema
  }

  private func object(
    _ shape: DecodableShape, _ notes: [String: [String: JSONTree]], of type: String
  ) throws -> JSONTree {
    var members: [String: JSONTree] = [:]
    for member in shape.members {
      switch member.content {
      case .type(let type): members[member.name] = try schema(of: type)
      case .shape(let inner): members[member.name] = try single(inner)
      }
    }
    for (name, keywords) in notes {
      if name.isEmpty { continue }
      guard let member = members[name] else {
        self.notes[type, default: [:]][name] = keywords
        continue
      }
      members[name] = member.adding(keywords)
    }
    let optional = Set(shape.members.filter(\.isOptional).map(\.name))
    let required = members.keys.filter { !optional.contains($0) }.sorted()
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
}
