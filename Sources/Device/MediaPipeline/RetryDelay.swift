internal import MediaCore

/// How long to wait before a device is opened again: 0.25 s, doubling up to 1.5 s, so that a device that comes back
/// delivers within 3 s.
struct RetryDelay {
  private var upcoming = RetryDelay.shortest

  private static let shortest = TimeSpan.milliseconds(250)
  private static let longest = TimeSpan.milliseconds(1_500)

  /// The delay to keep now; the one after will be longer.
  mutating func next() -> TimeSpan {
    defer { upcoming = min(upcoming * 2, Self.longest) }
    return upcoming
  }

  /// The device works again.
  mutating func reset() { upcoming = Self.shortest }
}
