/// A text by lines, for changes that leave the others as they are.
struct EditedLines {
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

  /// Adds a comment to the end of a line, behind one that is there.
  mutating func addComment(_ comment: String, toLine number: Int) {
    var line = lines[number - 1].unicodeScalars
    let isCRLF = line.last == "\r"
    if isCRLF { line.removeLast() }
    lines[number - 1] = String(line) + "  # \(comment)" + (isCRLF ? "\r" : "")
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
enum TOMLScanner {
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
