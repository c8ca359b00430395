import MediaCore

/// What is known of a receiver's positions.
struct Positions: Sendable {
  /// Doubts are told no more often, since a receiver in a bad place has them for hours.
  static let tellingInterval = TimeSpan.seconds(600)

  var filter = PositionFilter()
  var track = GPXPointFilter()
  private var toldAt: MonotonicInstant?

  /// Whether a doubt is to be logged now.
  mutating func beginTelling(now: MonotonicInstant) -> Bool {
    if let toldAt, now - toldAt < Self.tellingInterval { return false }
    toldAt = now
    return true
  }
}
