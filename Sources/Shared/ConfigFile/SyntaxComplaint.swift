/// A parser's syntax error as advice on what to do.
struct SyntaxComplaint {
  var problem: String
  var remedy: String?

  /// - Parameter problem: what the parser says.
  init(_ problem: String, at position: ConfigPosition, in text: String) {
    self.problem = problem
    if problem.prefix(while: { $0 != ":" }).hasSuffix("string"), Self.isPastLine(position, in: text) {
      self.problem = "a string has no closing quote"
      remedy = "end it with the quote that it begins with"
    } else if problem.hasPrefix("Error while parsing boolean") {
      self.problem = "this is no value"
      remedy = "put text in quotes; otherwise write true, false or a number"
    }
  }

  /// Whether the parser stopped where the line, or the text, ends.
  private static func isPastLine(_ position: ConfigPosition, in text: String) -> Bool {
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.indices.contains(position.line - 1) else { return true }
    return position.column > lines[position.line - 1].count
  }
}
