/// What is known of a receiver's positions.
public struct PositionReport: Sendable, Equatable {
  /// Seconds since the last plausible one; nil if there was none.
  public var age: Int?
  /// Whether that is too long ago for it to be published.
  public var isStale: Bool
  /// Positions that were left out because they cannot be true.
  public var refusedCount: Int
  /// Why the newest was left out; nil if it was not.
  public var doubt: String?
}
