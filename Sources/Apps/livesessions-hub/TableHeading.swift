import CommandSuggestions
import Foundation
import SafeText

/// The names of a table's columns.
struct TableHeading {
  private let names: [String]

  init(_ names: [String]) { self.names = names }

  /// Columns under their names on a terminal; elsewhere one line a row with tabs between the cells, for scripts.
  ///
  /// - Parameter shortened: the columns that are cut to fit a terminal, the least important first.
  func printTable(_ rows: [[String]], shortened: [Int] = []) {
    let rows = rows.map { $0.map(\.escapingControls) }
    guard isatty(STDOUT_FILENO) == 1 else {
      for row in rows { StandardOutput.printLine(row.joined(separator: "\t")) }
      return
    }
    let table = TextTable(rows: [names] + rows)
    for line in table.lines(width: StandardOutput.terminalWidth, shortened: shortened) {
      StandardOutput.printLine(line)
    }
  }

  /// Milliseconds since 1970 as ISO 8601, UTC.
  static func time(_ milliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
  }
}
