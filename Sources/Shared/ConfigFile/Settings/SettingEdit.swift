/// Changes one setting in a file's text; all else stays as it is, comments and order among it.
public struct SettingEdit {
  private let path: SettingPath
  private let value: String

  /// - Parameter value: as on a command line: strings need no quotes.
  public init(_ path: SettingPath, value: String) {
    self.path = path
    self.value = Self.literal(value, path.setting.form)
  }

  /// A file's text with a setting, which `check` has found right as a whole.
  ///
  /// - Parameters:
  ///   - key: see ``SettingPath``.
  ///   - value: as on a command line.
  ///   - check: reads the text.
  /// - Returns: the setting, and the text to write.
  public static func edited(
    file: String, _ key: String, to value: String, in sections: [SectionDescription],
    check: (String) throws(ConfigErrors) -> Void
  ) throws(ConfigErrors) -> (path: SettingPath, text: String) {
    let path: SettingPath
    do throws(ConfigValueError) {
      path = try SettingPath(key, in: sections)
    } catch {
      throw ConfigErrors([ConfigError(file: file, position: nil, problem: error.problem, remedy: error.remedy)])
    }
    let edited = try SettingEdit(path, value: value).applied(to: try ConfigDocument.text(path: file), file: file)
    try check(edited)
    return (path, edited)
  }

  /// The text with the setting. Whether the whole is right is for its reader to say.
  ///
  /// - Throws: for invalid TOML, and where the setting has no place.
  public func applied(to text: String, file: String) throws(ConfigErrors) -> String {
    let document = try ConfigDocument(text: text, file: file)
    do throws(ConfigValueError) {
      let edited = try applied(to: EditedLines(text), document)
      guard let result = try? ConfigDocument(text: edited, file: file), try isSet(in: result) else {
        throw ConfigValueError("\(path.setting.name) cannot be set in this file", remedy: "edit it by an editor")
      }
      return edited
    } catch {
      throw ConfigErrors([ConfigError(file: file, position: nil, problem: error.problem, remedy: error.remedy)])
    }
  }

  /// Whether an edited file has the intended meaning: places of values are the parser's, lines are ours.
  private func isSet(in document: ConfigDocument) throws(ConfigValueError) -> Bool {
    // A table that has got another name is not found by its old one.
    if path.table != nil, path.setting.name == "name" { return true }
    guard let meant = try? ConfigDocument(text: "value = \(value)", file: "").entries.first,
      let written = try place(in: document)?.entries.first(where: { $0.key == path.setting.name })
    else { return false }
    return TOMLText.value(written.node.value) == TOMLText.value(meant.node.value)
  }

  private func applied(to text: EditedLines, _ document: ConfigDocument) throws(ConfigValueError) -> String {
    var lines = text
    guard let place = try place(in: document) else {
      lines.addTable(path.section, path.setting.name, value)
      return lines.text
    }
    if let written = place.entries.first(where: { $0.key == path.setting.name }) {
      try lines.replaceValue(at: written.node.position, with: value)
    } else {
      try lines.insert(path.setting.name, value, belowHeader: place.header)
    }
    return lines.text
  }

  /// The table that has the setting, or is to have it; nil where the file has no such table yet.
  private func place(in document: ConfigDocument) throws(ConfigValueError) -> (
    header: ConfigPosition?, entries: [ConfigEntry]
  )? {
    let section = document.entries.first { $0.key == path.section.name }
    switch (path.section.kind, section?.node.value) {
    case (.root, _): return (nil, document.entries)
    case (.table, .table(let entries)?): return (section?.keyPosition, entries)
    case (.table, _): return nil
    case (.array, .array(let elements)?):
      for element in elements {
        guard case .table(let entries) = element.value, case .string(path.table)? = name(of: entries) else { continue }
        return (element.position, entries)
      }
      throw missingTable
    case (.array, _): throw missingTable
    }
  }

  private func name(of entries: [ConfigEntry]) -> ConfigValue? { entries.first { $0.key == "name" }?.node.value }

  private var missingTable: ConfigValueError {
    ConfigValueError(
      "there is no \(path.section.header) with name = \"\(path.table ?? "")\"",
      remedy: "add one to the file; a single setting does not make it")
  }

  /// A command-line argument as a value of a file.
  private static func literal(_ word: String, _ form: SettingForm) -> String {
    let isQuoted = word.hasPrefix("\"") || word.hasPrefix("'")
    switch form {
    case .text: return isQuoted && isValue(word) ? word : TOMLText.string(word)
    case .bare, .any: return isValue(word) ? word : TOMLText.string(word)
    }
  }

  private static func isValue(_ word: String) -> Bool {
    guard !word.contains("\n"), let document = try? ConfigDocument(text: "value = \(word)\n", file: ""),
      document.entries.count == 1
    else { return false }
    // `1 # one` would put a comment into the file.
    if case .dateTime = document.entries[0].node.value { return false }
    return TOMLScanner.end(of: Array("\(word)\n".unicodeScalars), from: 0) == word.unicodeScalars.count
  }
}
