/// A data rate.
public struct Bitrate: Hashable, Comparable, Sendable {
  /// Bits a second; what counts as a bit (headers, repair) is up to the user.
  public var bitsPerSecond: Int

  /// Takes any rate, also a negative one.
  @inlinable
  public init(bitsPerSecond: Int) { self.bitsPerSecond = bitsPerSecond }

  /// Thousands of bits a second; the highest rate if that does not fit.
  @inlinable
  public static func kilobits(_ count: Int) -> Bitrate {
    Bitrate(bitsPerSecond: count.saturatingMultiplied(by: 1_000))
  }

  /// A computed rate; NaN yields zero, an overflow the nearest bound.
  @inlinable
  public init(_ bitsPerSecond: Double) { self.init(bitsPerSecond: Int(saturating: bitsPerSecond)) }

  @inlinable
  public static func < (lhs: Bitrate, rhs: Bitrate) -> Bool { lhs.bitsPerSecond < rhs.bitsPerSecond }
}
