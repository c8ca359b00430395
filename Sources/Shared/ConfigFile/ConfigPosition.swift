/// A place in a configuration text; lines and columns (in Unicode code points) count from one.
public struct ConfigPosition: Hashable, Comparable, Sendable {
  public var line: Int
  public var column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The position of an error that concerns the file as a whole.
  public static let start = ConfigPosition(line: 1, column: 1)

  public static func < (lhs: ConfigPosition, rhs: ConfigPosition) -> Bool {
    (lhs.line, lhs.column) < (rhs.line, rhs.column)
  }
}
