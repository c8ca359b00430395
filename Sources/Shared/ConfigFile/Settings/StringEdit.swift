import SafeText

/// Replaces strings of a file's text; all else stays as it is, but for a comment behind each line that has changed.
public struct StringEdit: Sendable {
  public struct Replacement: Sendable {
    /// Where the string stands.
    public var position: ConfigPosition
    public var text: String
    /// What the comment says of it.
    public var remark: String

    public init(at position: ConfigPosition, with text: String, remark: String) {
      self.position = position
      self.text = text
      self.remark = remark
    }
  }

  private let replacements: [Replacement]

  public init(_ replacements: [Replacement]) {
    self.replacements = replacements.sorted { $0.position < $1.position }
  }

  /// - Parameter hasRemarks: whether comments are added.
  /// - Throws: for invalid TOML, and where the text would not mean the same but for the strings.
  public func applied(to text: String, file: String, hasRemarks: Bool = true) throws(ConfigErrors) -> String {
    let meant = replaced(try ConfigDocument(text: text, file: file).entries)
    do throws(ConfigValueError) {
      var lines = EditedLines(text)
      // From the end: a replacement moves what stands behind it.
      for replacement in replacements.reversed() {
        try lines.replaceValue(at: replacement.position, with: TOMLText.string(replacement.text))
      }
      if hasRemarks { addRemarks(to: &lines) }
      guard let result = try? ConfigDocument(text: lines.text, file: file),
        TOMLText.value(.table(result.entries)) == TOMLText.value(.table(meant))
      else { throw ConfigValueError("the strings cannot be replaced in this file", remedy: "edit it by an editor") }
      return lines.text
    } catch {
      throw ConfigErrors([ConfigError(file: file, position: nil, problem: error.problem, remedy: error.remedy)])
    }
  }

  private func addRemarks(to lines: inout EditedLines) {
    let byLine = Dictionary(grouping: replacements, by: \.position.line)
    for (line, replacements) in byLine {
      lines.addComment(replacements.map(\.remark).joined(separator: ", ").escapingControls, toLine: line)
    }
  }

  // MARK: Meaning

  private func replaced(_ entries: [ConfigEntry]) -> [ConfigEntry] {
    entries.map { entry in
      var entry = entry
      entry.node = replaced(entry.node)
      return entry
    }
  }

  private func replaced(_ node: ConfigNode) -> ConfigNode {
    var node = node
    switch node.value {
    case .string:
      if let found = replacements.first(where: { $0.position == node.position }) { node.value = .string(found.text) }
    case .array(let elements): node.value = .array(elements.map(replaced))
    case .table(let entries): node.value = .table(replaced(entries))
    case .integer, .number, .boolean, .dateTime: break
    }
    return node
  }
}
