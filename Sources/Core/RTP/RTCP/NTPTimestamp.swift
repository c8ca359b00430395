public import MediaCore

/// A time in the 32.32 fixed-point format of NTP, seconds since 1900 (RFC 3550 §4).
///
/// It serves to relate streams of one sender; it need not be right, but should not jump: derive it from a monotonic
/// clock and one reading of the wall clock.
public struct NTPTimestamp: RawRepresentable, Hashable, Sendable {
  /// Seconds in the upper 32 bits, their fraction in the lower ones.
  public var rawValue: UInt64

  /// Any 64 bits are a time.
  @inlinable
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// - Parameter unixNanoseconds: since 1970; negative times give the epoch itself.
  public init(unixNanoseconds: Int64) {
    let nanoseconds = UInt64(max(0, unixNanoseconds))
    let seconds = nanoseconds / 1_000_000_000 + 2_208_988_800
    let fraction = (nanoseconds % 1_000_000_000) << 32 / 1_000_000_000
    rawValue = seconds << 32 | fraction
  }

  /// The middle 32 bits, as LSR carries them: 16.16 seconds.
  public var compact: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 16) }

  /// Time from `other` to here, by the shorter way round.
  public func timeSpan(since other: NTPTimestamp) -> TimeSpan {
    let difference = Int64(bitPattern: rawValue &- other.rawValue)
    let seconds = difference >> 32
    let fraction = difference & 0xFFFF_FFFF
    return TimeSpan(nanoseconds: seconds * 1_000_000_000 + (fraction * 1_000_000_000) >> 32)
  }

  /// The time `span` later.
  public func advanced(by span: TimeSpan) -> NTPTimestamp {
    var seconds = span.nanoseconds / 1_000_000_000
    var rest = span.nanoseconds % 1_000_000_000
    if rest < 0 {
      rest += 1_000_000_000
      seconds -= 1
    }
    let difference = seconds << 32 | (rest << 32) / 1_000_000_000
    return NTPTimestamp(rawValue: rawValue &+ UInt64(bitPattern: difference))
  }
}
