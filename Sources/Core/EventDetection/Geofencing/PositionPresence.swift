public import MediaCore

/// Whether positions arrive, reported once per change.
public struct PositionPresence: Hashable, Sendable {
  private var newest: MonotonicInstant?
  private var isMissing = false

  private static let timeout = TimeSpan.seconds(60)

  public init() {}

  /// A position has come; true where they were reported missing.
  public mutating func take(at time: MonotonicInstant) -> Bool {
    defer { (newest, isMissing) = (time, false) }
    return isMissing
  }

  /// True once, when none has come for a minute, counted from the first call before the first position.
  public mutating func tick(now: MonotonicInstant) -> Bool {
    guard let newest else {
      self.newest = now
      return false
    }
    guard !isMissing, now - newest >= Self.timeout else { return false }
    isMissing = true
    return true
  }
}
