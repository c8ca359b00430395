import ConfigFile
import Testing

struct StringEditTests {
  /// Replaces all strings `"old"` of a text, in arrays of the key `of`.
  private func edited(_ text: String, hasRemarks: Bool = true) throws -> String {
    let places = try ConfigDocument(text: text, file: "h.toml").entries.flatMap { entry in
      guard case .array(let elements) = entry.node.value else { return [ConfigPosition]() }
      return elements.compactMap { if case .string("old") = $0.value { $0.position } else { nil } }
    }
    let replacements = places.map { StringEdit.Replacement(at: $0, with: "a \"new\" one", remark: "Old\n[x]") }
    return try StringEdit(replacements).applied(to: text, file: "h.toml", hasRemarks: hasRemarks)
  }

  @Test func aStringIsReplacedAndTheRestStays() throws {
    #expect(
      try edited("# old\nof = [ 'old', \"other\" ]\nelse = \"old\"\n")
        == "# old\nof = [ \"a \\\"new\\\" one\", \"other\" ]  # Old\\n[x]\nelse = \"old\"\n")
    #expect(try edited("of = ['old']\n", hasRemarks: false) == "of = [\"a \\\"new\\\" one\"]\n")
  }

  @Test func severalInALineHaveOneComment() throws {
    let text = try edited("of = [\"old\", \"b\", \"old\"] # mine\r\n")
    #expect(text.hasPrefix("of = [\"a \\\"new\\\" one\", \"b\", \"a \\\"new\\\" one\"] # mine  # Old"))
    #expect(text.unicodeScalars.suffix(2).elementsEqual("\r\n".unicodeScalars))
  }

  @Test func linesOfAListHaveTheirOwn() throws {
    let text = try edited("of = [\n  \"b\",\n  \"old\", # mine\n  \"old\",\n]\n")
    let lines = text.split(separator: "\n")
    #expect(lines.count == 5 && lines[1] == "  \"b\"," && lines[4] == "]")
    #expect(lines[2].contains("# mine  # Old") && lines[3].contains("\",  # Old"))
  }

  /// A comment cannot stand within a string of several lines.
  @Test func whatWouldMeanSomethingElseIsRefused() {
    let text = "of = [\"old\", \"\"\"two\nlines\"\"\"]\n"
    let errors = #expect(throws: ConfigErrors.self) { try edited(text) }
    #expect(errors?.description.contains("edit it by an editor") == true)
  }
}
