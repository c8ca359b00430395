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
    let text: String
    let path: SettingPath
    do throws(ConfigValueError) {
      path = try SettingPath(key, in: sections)
      let octets = try BoundedFile.read(path: file, maximumBytes: ConfigDocument.maximumBytes)
      guard let content = String(validating: octets, as: UTF8.self) else {
        throw ConfigValueError("the file is not UTF-8 text")
      }
      text = content
    } catch {
      throw ConfigErrors([ConfigError(file: file, position: nil, problem: error.problem, remedy: error.remedy)])
    }
    let edited = try SettingEdit(path, value: value).applied(to: text, file: file)
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

/// A text by lines, for changes that leave the others as they are.
private struct EditedLines {
  private var lines: [String]

  init(_ text: String) {
    lines = Self.split(text.unicodeScalars)
    if lines.last == "" { lines.removeLast() }
  }

  /// By scalars: a carriage return and a line feed are one character.
  private static func split(_ text: String.UnicodeScalarView) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
  }

  var text: String { lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n" }

  mutating func replaceValue(at position: ConfigPosition, with value: String) throws(ConfigValueError) {
    let scalars = Array(lines.dropFirst(position.line - 1).joined(separator: "\n").unicodeScalars)
    guard position.line <= lines.count, let end = TOMLScanner.end(of: scalars, from: position.column - 1) else {
      throw ConfigValueError("the value in line \(position.line) is not understood", remedy: "edit the file")
    }
    var rest = String.UnicodeScalarView(scalars[..<(position.column - 1)])
    rest.append(contentsOf: value.unicodeScalars)
    rest.append(contentsOf: scalars[end...])
    lines[(position.line - 1)...] =
      String(rest).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)[...]
  }

  /// Adds a setting below the comment that shows it, else behind the table's others.
  ///
  /// - Parameter header: where the table begins; nil for the file's first keys.
  mutating func insert(_ key: String, _ value: String, belowHeader header: ConfigPosition?) throws(ConfigValueError) {
    if let header, !lines.indices.contains(header.line - 1) || !Self.isHeader(lines[header.line - 1]) {
      throw ConfigValueError(
        "\(key) has no place: its table in line \(header.line) has no header of its own", remedy: "edit the file")
    }
    let first = header?.line ?? 0
    let end = lines[first...].firstIndex { Self.isHeader($0) || Self.isHeader($0.withoutMark) } ?? lines.endIndex
    let region = first..<end
    let shown = region.last { lines[$0].hasPrefix("#") && lines[$0].withoutMark.hasPrefix("\(key) = ") }
    let last = region.last { !lines[$0].allSatisfy(\.isWhitespace) && !lines[$0].hasPrefix("#") }
    lines.insert("\(key) = \(value)", at: (shown ?? last).map { $0 + 1 } ?? first)
  }

  /// Adds a table with one setting: in the place of the comment that shows its header, else at the end.
  mutating func addTable(_ section: SectionDescription, _ key: String, _ value: String) {
    if let shown = lines.firstIndex(where: { $0.hasPrefix("#") && $0.withoutMark == section.header }) {
      lines[shown] = section.header
      let below = ConfigPosition(line: shown + 1, column: 1)
      if (try? insert(key, value, belowHeader: below)) != nil { return }
    }
    lines += (lines.isEmpty ? [] : [""]) + [section.header, "\(key) = \(value)"]
  }

  private static func isHeader(_ line: String) -> Bool {
    line.wholeMatch(of: /\s*\[\[?[A-Za-z_"][^\[\],]*\]\]?\s*(#.*)?/) != nil
  }
}

extension String {
  /// A line that is commented out, without its mark.
  fileprivate var withoutMark: String { hasPrefix("#") ? String(dropFirst().drop { $0 == " " }) : self }
}

/// Finds where a value of a valid text ends.
private enum TOMLScanner {
  /// - Returns: the index behind the value; nil for an unfinished one.
  static func end(of text: [Unicode.Scalar], from start: Int) -> Int? {
    guard start < text.count else { return nil }
    switch text[start] {
    case "\"", "'": return stringEnd(text, start)
    case "[", "{": return bracketEnd(text, start)
    default:
      var end = start
      while end < text.count, !isDelimiter(text[end]) { end += 1 }
      return end
    }
  }

  private static func isDelimiter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case " ", "\t", "\n", "\r", "#", ",", "]", "}": true
    default: false
    }
  }

  private static func stringEnd(_ text: [Unicode.Scalar], _ start: Int) -> Int? {
    let quote = text[start]
    let isLong = text[start...].prefix(3).elementsEqual([quote, quote, quote])
    var index = start + (isLong ? 3 : 1)
    while index < text.count {
      if text[index] == "\\", quote == "\"" {
        index += 2
      } else if isLong, text[index...].prefix(3).elementsEqual([quote, quote, quote]) {
        // One or two quotes more belong to the string.
        return index + text[index...].prefix(5).prefix { $0 == quote }.count
      } else if !isLong, text[index] == quote {
        return index + 1
      } else {
        index += 1
      }
    }
    return nil
  }

  private static func bracketEnd(_ text: [Unicode.Scalar], _ start: Int) -> Int? {
    var depth = 0
    var index = start
    while index < text.count {
      switch text[index] {
      case "[", "{": depth += 1
      case "]", "}":
        depth -= 1
        if depth == 0 { return index + 1 }
      case "\"", "'":
        guard let end = stringEnd(text, index) else { return nil }
        index = end
        continue
      case "#":
        while index < text.count, text[index] != "\n" { index += 1 }
        continue
      default: break
      }
      index += 1
    }
    return nil
  }
}
