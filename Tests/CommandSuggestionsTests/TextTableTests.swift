import CommandSuggestions
import Testing

@Suite("Tables")
struct TextTableTests {
  @Test("tables fit a terminal by the columns that matter least, and ids stay whole")
  func tables() {
    let table = TextTable(rows: [
      ["ID", "STATUS", "NAME"], ["abcd1111", "available (user initiated)", "the back door"],
    ])
    #expect(table.lines() == ["ID        STATUS                      NAME", rowText])
    #expect(table.lines(width: 200, shortened: [1, 2]) == table.lines())
    #expect(
      table.lines(width: 40, shortened: [1, 2]) == [
        "ID        STATUS           NAME", "abcd1111  available (use…  the back door",
      ])
    #expect(
      table.lines(width: 28, shortened: [1, 2]) == ["ID        STATUS  NAME", "abcd1111  avail…  the back …"])
    #expect(
      table.lines(width: 10, shortened: [1, 2]) == ["ID        STATUS  NAME", "abcd1111  avail…  the b…"])
    #expect(TextTable(rows: []).lines(width: 1, shortened: [0]).isEmpty)
  }

  private let rowText = "abcd1111  available (user initiated)  the back door"
}
