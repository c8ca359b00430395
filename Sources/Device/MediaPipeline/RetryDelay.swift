internal import MediaCore

/// How long to wait before a device is opened again: 0.25 s, doubling up to 3 s.
struct RetryDelay {
  private var upcoming = RetryDelay.shortest

  private static let shortest = TimeSpan.milliseconds(250)
  private static let longest = TimeSpan.seconds(3)

  /// The delay to keep now; the one after will be longer.
  mutating func next() -> TimeSpan {
    defer { upcoming = min(upcoming * 2, Self.longest) }
    return upcoming
  }

  /// The device works again.
  mutating func reset() { upcoming = Self.shortest }
}
