/// A module of the page, line by line: what it imports and exports, and the rest of it, without comments and indentation.
///
/// It reads the page's own style, not all of JavaScript: imports and exports begin a line, comments have lines of their own,
/// templates end in the line in which they begin. What it cannot be sure of it refuses.
struct PageModule {
  /// A line, or a statement that may span several.
  enum Part: Equatable {
    case code(String)
    case importing(Names, from: String, source: String)
    /// A class, function or constant, without `export` before it.
    case exported(name: String, source: String)
    case exporting([Pair], from: String?)
  }

  /// What an import takes.
  enum Names: Equatable {
    case nothing
    case all(String)
    case some([Pair])
  }

  /// A name in another module, and the one that it has here; the other way round for exports.
  struct Pair: Equatable {
    var theirs: String
    var ours: String
  }

  /// Why a module cannot be joined with others.
  struct Refusal: Error, Equatable, CustomStringConvertible {
    var path: String
    var reason: String
    var description: String { "\(path): \(reason)" }
  }

  let path: String
  private(set) var parts: [Part] = []

  /// `path` is that below the page's folder, with slashes.
  init(path: String, text: String) throws(Refusal) {
    self.path = path
    var isComment = false
    var statement: [Substring] = []
    for line in text.split(separator: "\n") {
      let code = line.drop { $0 == " " || $0 == "\t" }
      if isComment {
        isComment = try !endsComment(code)
      } else if code.hasPrefix("/*") {
        isComment = try !endsComment(code)
      } else if !code.isEmpty, !code.hasPrefix("//") {
        guard code.count(where: { $0 == "`" }).isMultiple(of: 2) else { throw refusal("a template spans lines") }
        guard !statement.isEmpty || Self.beginsStatement(line) else {
          parts.append(try part(of: line, code))
          continue
        }
        statement.append(code)
        guard code.hasSuffix(";") else { continue }
        parts.append(try part(ofStatement: statement.joined(separator: " ")))
        statement = []
      }
    }
    guard statement.isEmpty, !isComment else { throw refusal("it ends within a statement or comment") }
  }

  private func refusal(_ reason: String) -> Refusal { Refusal(path: path, reason: reason) }

  private static func beginsStatement(_ line: Substring) -> Bool {
    line.hasPrefix("import ") || line.hasPrefix("export {")
  }

  private func endsComment(_ code: Substring) throws(Refusal) -> Bool {
    guard let end = code.firstRange(of: "*/") else { return false }
    guard code[end.upperBound...].allSatisfy(\.isWhitespace) else {
      throw refusal("code follows a comment in its line")
    }
    return true
  }

  private func part(of line: Substring, _ code: Substring) throws(Refusal) -> Part {
    guard line.hasPrefix("export ") else { return .code(String(code)) }
    let source = code.dropFirst("export ".count)
    for keyword in ["class ", "function ", "async function ", "const "] where source.hasPrefix(keyword) {
      let name = source.dropFirst(keyword.count).prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
      if !name.isEmpty { return .exported(name: String(name), source: String(source)) }
    }
    throw refusal("'\(line.prefix(40))' is no export of a class, function or constant by its name")
  }

  private func part(ofStatement text: String) throws(Refusal) -> Part {
    let pieces = text.split(separator: "\"", omittingEmptySubsequences: false)
    let isWhole = pieces.count == 3 && pieces[2] == ";"
    var words = pieces[0]
    if isWhole, words.hasSuffix(" from ") { words = words.dropLast(" from ".count) }
    if words.hasPrefix("export "), isWhole || pieces.count == 1 {
      let pairs = try pairs(words.dropFirst("export ".count).drop { $0 == ";" })
      return .exporting(pairs, from: isWhole ? String(pieces[1]) : nil)
    }
    guard isWhole else { throw refusal("'\(text.prefix(40))' cannot be read") }
    let names = words.dropFirst("import ".count)
    if names.isEmpty { return .importing(.nothing, from: String(pieces[1]), source: text) }
    if names.hasPrefix("* as ") {
      return .importing(.all(String(names.dropFirst("* as ".count))), from: String(pieces[1]), source: text)
    }
    return .importing(.some(try pairs(names)), from: String(pieces[1]), source: text)
  }

  /// Of `{ a, b as c }`, with a semicolon perhaps.
  private func pairs(_ text: Substring) throws(Refusal) -> [Pair] {
    let list = text.filter { $0 != ";" }
    guard list.first == "{", list.last == "}" else { throw refusal("'\(text.prefix(40))' is no list of names") }
    return list.dropFirst().dropLast().split(separator: ",").compactMap { item in
      let words = item.split(separator: " ")
      guard let first = words.first, let last = words.last else { return nil }
      return Pair(theirs: String(first), ours: String(last))
    }
  }
}
