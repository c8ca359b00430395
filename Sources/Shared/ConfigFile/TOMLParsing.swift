import CTOML

/// Parses TOML into the root table's entries.
func parseTOML(_ text: String, file: String) throws(ConfigErrors) -> [ConfigEntry] {
  var text = text
  let document = text.withUTF8 { utf8 in
    utf8.withMemoryRebound(to: CChar.self) { ctoml_parse($0.baseAddress, $0.count) }
  }
  guard let document else {
    throw ConfigErrors([ConfigError(file: file, position: nil, problem: "out of memory")])
  }
  defer { ctoml_free(document) }
  let problem = string(ctoml_error(document))
  guard problem.isEmpty else {
    let position = position(ctoml_error_position(document)) ?? .start
    let complaint = SyntaxComplaint(problem, at: position, in: text)
    throw ConfigErrors([
      ConfigError(file: file, position: position, problem: complaint.problem, remedy: complaint.remedy)
    ])
  }
  var reader = NodeReader(document: document)
  guard case .table(let entries) = reader.next(fallback: .start).node.value else { return [] }
  return entries
}

/// Walks the flat, pre-order nodes of a C document and builds the tree.
private struct NodeReader {
  let document: OpaquePointer
  var index = 0

  init(document: OpaquePointer) { self.document = document }

  /// - Parameter fallback: the parent's place, for nodes that have none of their own (implied tables).
  mutating func next(fallback: ConfigPosition) -> ConfigEntry {
    let node = ctoml_node_at(document, index)
    index += 1
    let keyPosition = position(node.key_position) ?? fallback
    let nodePosition = position(node.position) ?? keyPosition
    let value = value(of: node, at: nodePosition)
    return ConfigEntry(
      key: string(node.key), keyPosition: keyPosition, node: ConfigNode(value: value, position: nodePosition))
  }

  private mutating func value(of node: ctoml_node, at position: ConfigPosition) -> ConfigValue {
    switch node.kind {
    case CTOML_TABLE:
      .table(children(of: node, at: position).sorted { $0.keyPosition < $1.keyPosition })
    case CTOML_ARRAY: .array(children(of: node, at: position).map(\.node))
    case CTOML_STRING: .string(string(node.string))
    case CTOML_INTEGER: .integer(node.integer)
    case CTOML_FLOAT: .number(node.floating_point)
    case CTOML_BOOLEAN: .boolean(node.boolean)
    default: .dateTime
    }
  }

  private mutating func children(of node: ctoml_node, at position: ConfigPosition) -> [ConfigEntry] {
    var entries: [ConfigEntry] = []
    entries.reserveCapacity(node.child_count)
    for _ in 0..<node.child_count { entries.append(next(fallback: position)) }
    return entries
  }
}

private func position(_ position: ctoml_position) -> ConfigPosition? {
  position.line == 0 ? nil : ConfigPosition(line: Int(position.line), column: Int(position.column))
}

private func string(_ text: ctoml_text) -> String {
  let bytes = UnsafeRawBufferPointer(start: text.bytes, count: text.count)
  return String(decoding: bytes, as: UTF8.self)
}
