/// A part of an archive, from a moment up to, and without, another one, both in milliseconds from the archive's start.
public struct ArchiveSpan: Sendable, Hashable {
  /// The most that the hub asks a device for: a quarter of an hour.
  public static let longestClip: Int64 = 900_000
  /// A year: no archive is longer.
  public static let latest: Int64 = 366 * 86_400_000

  public let start: Int64
  public let end: Int64

  /// Returns nil unless the span lasts, and ends before ``latest``.
  public init?(start: Int64, end: Int64) {
    guard 0 <= start, start < end, end <= Self.latest else { return nil }
    (self.start, self.end) = (start, end)
  }

  /// Whether it is no longer than ``longestClip``.
  public var isClip: Bool { end - start <= Self.longestClip }

  /// Reads what ``text`` writes of a clip; nil for anything else.
  public init?(clip text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let start = TimelineSpan.number(parts[0]), let end = TimelineSpan.number(parts[1]) else {
      return nil
    }
    self.init(start: start, end: end)
    guard isClip else { return nil }
  }

  /// Such as `12000-30500`.
  public var text: String { "\(start)-\(end)" }

  /// Reads seconds with at most three decimals as milliseconds; nil for anything else.
  public static func milliseconds(seconds text: some StringProtocol) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = TimelineSpan.number(parts[0]), whole <= latest / 1_000 else { return nil }
    guard parts.count == 2 else { return whole * 1_000 }
    guard (1...3).contains(parts[1].utf8.count), let fraction = TimelineSpan.number(parts[1]) else { return nil }
    let scale: [Int64] = [100, 10, 1]
    return whole * 1_000 + fraction * scale[parts[1].utf8.count - 1]
  }
}
