import MediaCore

/// What is known of a receiver's positions.
struct Positions: Sendable {
  /// Doubts are told no more often, since a receiver in a bad place has them for hours.
  static let tellingInterval = TimeSpan.seconds(600)

  var filter = PositionFilter()
  var track = GPXPointFilter()
  private var toldAt: MonotonicInstant?
  private var isWrongDateTold = false

  /// Whether a doubt is to be logged now.
  mutating func beginTelling(now: MonotonicInstant) -> Bool {
    if let toldAt, now - toldAt < Self.tellingInterval { return false }
    toldAt = now
    return true
  }

  /// The receiver's wrong date, if it is to be logged now: once until the date is right again.
  mutating func beginTellingDate() -> Int64? {
    defer { isWrongDateTold = filter.wrongDate != nil }
    return isWrongDateTold ? nil : filter.wrongDate
  }
}
