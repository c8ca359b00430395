import SystemSupport

/// Days and moments in UTC, as names of folders and events have them.
enum UTCDay {
  /// Such as `2026-11-24`.
  static func name(_ milliseconds: Int64) -> String { TimeText.utc(milliseconds / 1_000, "%Y-%m-%d") }

  /// Such as `20261124T195512Z`.
  static func stamp(_ milliseconds: Int64) -> String { TimeText.utc(milliseconds / 1_000, "%Y%m%dT%H%M%SZ") }

  /// Whether this is the name of a day, in the form that ``name(_:)`` makes.
  static func isName(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [4, 2, 2] && parts.allSatisfy { $0.utf8.allSatisfy { 48...57 ~= $0 } }
  }

  /// The day of a ``stamp(_:)``, or of a text that begins with one.
  static func name(stamp: String) -> String {
    let digits = Array(stamp.prefix(8))
    return [digits.prefix(4), digits.dropFirst(4).prefix(2), digits.dropFirst(6)].map { String($0) }
      .joined(separator: "-")
  }

  /// Whether all of a day lies behind a moment; the moment may be one that no calendar has.
  static func begins(_ name: String, atOrAfter milliseconds: Int64) -> Bool {
    guard 1...Self.latest ~= milliseconds else { return milliseconds < 1 }
    return name > self.name(milliseconds - 1)
  }

  /// The end of the year 9999.
  private static let latest: Int64 = 253_402_300_800_000

  /// Whether a clock that was set can have shown this day: boards without one begin in 1970 or 2000.
  static func isCredible(_ name: String) -> Bool { name >= "2020" }
}
