/// A data rate.
public struct Bitrate: Hashable, Comparable, Sendable {
  public var bitsPerSecond: Int

  @inlinable
  public init(bitsPerSecond: Int) { self.bitsPerSecond = bitsPerSecond }

  @inlinable
  public static func kilobits(_ count: Int) -> Bitrate {
    Bitrate(bitsPerSecond: count.saturatingMultiplied(by: 1_000))
  }

  /// A computed rate; what is not a number is none, what does not fit the nearest that does.
  @inlinable
  public init(_ bitsPerSecond: Double) { self.init(bitsPerSecond: Int(saturating: bitsPerSecond)) }

  @inlinable
  public static func < (lhs: Bitrate, rhs: Bitrate) -> Bool { lhs.bitsPerSecond < rhs.bitsPerSecond }
}
