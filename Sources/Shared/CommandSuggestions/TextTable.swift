import Glibc

/// Cells in columns as wide as their widest cell.
public struct TextTable: Sendable {
  private let rows: [[String]]

  /// A column is not cut below this, so that something of it can be read.
  private static let narrowest = 6

  /// - Parameter rows: without control characters.
  public init(rows: [[String]]) { self.rows = rows }

  /// One line a row, without blanks at its end.
  ///
  /// - Parameters:
  ///   - width: characters that a line may have; nil for any number. Wider than that are tables whose ``shortened`` columns
  ///     are not enough.
  ///   - shortened: the columns that are cut where they have to be, the least important first.
  public func lines(width: Int? = nil, shortened: [Int] = []) -> [String] {
    let widths = widths(width, shortened)
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in
        let text = cell.count > width ? cell.prefix(max(0, width - 1)) + "…" : cell[...]
        return text + String(repeating: " ", count: width - text.count)
      }
      let line = cells.joined(separator: "  ")
      return String(line[..<(line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.startIndex)])
    }
  }

  private func widths(_ limit: Int?, _ shortened: [Int]) -> [Int] {
    let columns = rows.map(\.count).max() ?? 0
    var widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    guard let limit else { return widths }
    var excess = widths.reduce(0, +) + max(0, columns - 1) * 2 - limit
    for column in shortened where excess > 0 && column < columns {
      let cut = min(excess, max(0, widths[column] - Self.narrowest))
      widths[column] -= cut
      excess -= cut
    }
    return widths
  }
}
