/// A 16-bit RTP sequence number; arithmetic wraps (RFC 3550 §5.1).
public struct SequenceNumber: RawRepresentable, ExpressibleByIntegerLiteral, Hashable, Sendable {
  /// The value on the wire.
  public var rawValue: UInt16

  /// Any 16 bits are a number.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Any 16 bits are a number.
  @inlinable
  public init(_ value: UInt16) { rawValue = value }

  /// Any 16 bits are a number.
  @inlinable
  public init(integerLiteral value: UInt16) { rawValue = value }

  /// The number `count` packets later, or earlier when negative.
  @inlinable
  public func advanced(by count: Int) -> SequenceNumber {
    SequenceNumber(rawValue &+ UInt16(truncatingIfNeeded: count))
  }

  /// Packets from here to `other` by the shorter way round, -32,768 to 32,767.
  @inlinable
  public func distance(to other: SequenceNumber) -> Int {
    Int(Int16(bitPattern: other.rawValue &- rawValue))
  }

  /// Whether this number comes after `other` by the shorter way round.
  @inlinable
  public func isNewer(than other: SequenceNumber) -> Bool { other.distance(to: self) > 0 }
}

/// Extends 16-bit sequence numbers to 64 bits.
///
/// The first number maps to itself plus 65,536, so that packets older than the first stay positive.
public struct SequenceUnwrapper: Sendable {
  /// The highest extended number so far, or nil before the first.
  public private(set) var highest: Int64?

  /// The first number to come sets the origin.
  public init() {}

  /// Returns what ``unwrap(_:)`` would, without moving on.
  public func peek(_ number: SequenceNumber) -> Int64 {
    guard let highest else { return 0x1_0000 + Int64(number.rawValue) }
    let last = SequenceNumber(UInt16(truncatingIfNeeded: highest))
    return highest &+ Int64(last.distance(to: number))
  }

  /// Returns the extended number nearest to the highest so far.
  public mutating func unwrap(_ number: SequenceNumber) -> Int64 {
    let extended = peek(number)
    highest = max(highest ?? extended, extended)
    return extended
  }
}

extension SequenceNumber {
  /// The low 16 bits of an extended number.
  @inlinable
  public init(extended: Int64) { rawValue = UInt16(truncatingIfNeeded: extended) }
}
