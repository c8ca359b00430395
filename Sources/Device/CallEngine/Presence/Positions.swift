import MediaCore

/// What is known of a receiver's positions.
struct Positions: Sendable {
  /// The minimum time between reports of doubts, since a receiver in a bad place has them for hours.
  static let reportInterval = TimeSpan.seconds(600)

  var filter = PositionFilter()
  var track = GPXPointFilter()
  private var reportedAt: MonotonicInstant?
  private var isWrongDateReported = false

  /// Whether a doubt is to be logged now.
  mutating func beginReport(now: MonotonicInstant) -> Bool {
    if let reportedAt, now - reportedAt < Self.reportInterval { return false }
    reportedAt = now
    return true
  }

  /// The receiver's wrong date, if it is to be logged now: once until the date is right again.
  mutating func beginDateReport() -> Int64? {
    defer { isWrongDateReported = filter.wrongDate != nil }
    return isWrongDateReported ? nil : filter.wrongDate
  }
}
