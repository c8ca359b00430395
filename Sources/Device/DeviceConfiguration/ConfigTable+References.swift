import ConfigFile

extension ConfigTable {
  /// The names of other tables, each of which has to be there; nil without the key. An empty list is a mistake.
  ///
  /// - Parameters:
  ///   - known: the known names.
  ///   - kind: the tables as the file writes them, such as `[[event]]`.
  func references(_ key: String, among known: [String], _ kind: String) -> [String]? {
    if isEmptyArray(key) { addError("\(key) is an empty list", remedy: "leave it out", at: key) }
    return values(key) { name throws(ConfigValueError) in
      if known.contains(name) { return name }
      throw ConfigValueError("there is no \(kind) named \"\(name)\"", remedy: Self.remedy(name, known, kind))
    }
  }

  /// The name of another table, which has to be there; nil without the key.
  func reference(_ key: String, among known: [String], _ kind: String) -> String? {
    value(key) { name throws(ConfigValueError) in
      if known.contains(name) { return name }
      throw ConfigValueError("there is no \(kind) named \"\(name)\"", remedy: Self.remedy(name, known, kind))
    }
  }

  private static func remedy(_ name: String, _ known: [String], _ kind: String) -> String {
    if let suggestion = closestMatch(to: name, among: known) { return "did you mean \"\(suggestion)\"?" }
    if known.isEmpty { return "add \(kind) with name = \"\(name)\"" }
    return "it is one of \(known.map { "\"\($0)\"" }.joined(separator: ", "))"
  }
}
