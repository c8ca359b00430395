/// A span of wall time for a query of what a device detected or recorded: from a moment up to, and without,
/// another one, both in milliseconds since 1970.
public struct TimelineSpan: Sendable, Hashable {
  /// A week, and the hour by which a week with a change to winter time is longer.
  public static let longest: Int64 = (7 * 24 + 1) * 3_600_000
  /// The end of the year 9999.
  public static let latest: Int64 = 253_402_300_800_000

  public let start: Int64
  public let end: Int64

  /// Returns nil unless the span is within the years 1970 to 9999, lasts, and is no longer than ``longest``.
  public init?(start: Int64, end: Int64) {
    guard 0 <= start, start < end, end <= Self.latest, end - start <= Self.longest else { return nil }
    (self.start, self.end) = (start, end)
  }

  /// Reads what ``text`` writes; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let start = Self.number(parts[0]), let end = Self.number(parts[1]) else { return nil }
    self.init(start: start, end: end)
  }

  /// Such as `1795478400000-1795564800000`.
  public var text: String { "\(start)-\(end)" }

  public func contains(_ time: Int64) -> Bool { start <= time && time < end }

  /// Only decimal digits: no sign.
  public static func number(_ text: some StringProtocol) -> Int64? {
    guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ 48...57 ~= $0 }) else { return nil }
    return Int64(text)
  }
}
