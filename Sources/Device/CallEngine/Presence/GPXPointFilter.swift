import MediaCore

/// Chooses the positions that go into the tracks of archives: those that are plausible and good enough to be published, about one a
/// second, since receivers may report ten.
struct GPXPointFilter: Sendable {
  /// A little less than a second, so that a receiver's jitter costs no position.
  static let minimumInterval = TimeSpan.milliseconds(900)

  private var lastAt: MonotonicInstant?

  mutating func passes(_ fix: PositionFix, now: MonotonicInstant) -> Bool {
    guard (fix.horizontalError ?? 0) <= LocationPublisher.maximumError else { return false }
    if let lastAt, now - lastAt < Self.minimumInterval { return false }
    lastAt = now
    return true
  }
}
