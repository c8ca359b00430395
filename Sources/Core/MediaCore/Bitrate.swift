/// A data rate.
public struct Bitrate: Hashable, Comparable, Sendable {
  public var bitsPerSecond: Int

  @inlinable
  public init(bitsPerSecond: Int) { self.bitsPerSecond = bitsPerSecond }

  @inlinable
  public static func kilobits(_ count: Int) -> Bitrate { Bitrate(bitsPerSecond: count * 1_000) }

  @inlinable
  public static func < (lhs: Bitrate, rhs: Bitrate) -> Bool { lhs.bitsPerSecond < rhs.bitsPerSecond }
}
