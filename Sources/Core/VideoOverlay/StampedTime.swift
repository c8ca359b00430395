/// A local time as it is written into frames.
public struct StampedTime: Sendable, Hashable {
  public var year: Int
  /// 1 to 12.
  public var month: Int
  /// 1 to 31.
  public var day: Int
  public var hour: Int
  public var minute: Int
  /// 0 to 60.
  public var second: Int
  /// The offset of local time from UTC.
  public var offsetMinutes: Int
  /// Whether the clock can be trusted; a question mark stands behind one that cannot.
  public var isTrusted: Bool

  /// Takes the values unchecked.
  public init(
    year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, offsetMinutes: Int, isTrusted: Bool
  ) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
    self.offsetMinutes = offsetMinutes
    self.isTrusted = isTrusted
  }

  /// Characters at most.
  public static let longest = 26

  /// Appends ISO 8601 with a blank in its middle, as in `2026-11-25 03:44:28+01:00`; codes of ``BitmapFont``. Allocates nothing
  /// where `text` has room for ``longest`` more.
  public func append(to text: inout [UInt8]) {
    Self.append(year, digits: 4, to: &text)
    Self.append(month, after: "-", to: &text)
    Self.append(day, after: "-", to: &text)
    Self.append(hour, after: " ", to: &text)
    Self.append(minute, after: ":", to: &text)
    Self.append(second, after: ":", to: &text)
    let offset = offsetMinutes.magnitude
    Self.append(Int(clamping: offset / 60), after: offsetMinutes < 0 ? "-" : "+", to: &text)
    Self.append(Int(clamping: offset % 60), after: ":", to: &text)
    if !isTrusted { text.append(UInt8(ascii: "?")) }
  }

  private static func append(_ number: Int, after separator: Unicode.Scalar, to text: inout [UInt8]) {
    text.append(UInt8(ascii: separator))
    append(number, digits: 2, to: &text)
  }

  /// The last digits of a number.
  private static func append(_ number: Int, digits: Int, to text: inout [UInt8]) {
    for _ in 0..<digits { text.append(UInt8(ascii: "0")) }
    var (rest, index) = (number.magnitude, text.count - 1)
    while index >= text.count - digits {
      text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      index -= 1
    }
  }
}
