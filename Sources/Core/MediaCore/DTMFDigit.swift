/// A key of a telephone's keypad: 0 to 9, *, # or A to D (ITU-T Q.23).
public struct DTMFDigit: Sendable, Hashable {
  /// The code of its telephone-event: 0 to 15 (RFC 4733 §3.2).
  public let event: UInt8

  /// Nil for an event that is no digit.
  public init?(event: UInt8) {
    guard event < 16 else { return nil }
    self.event = event
  }

  /// Nil for anything not on a keypad; letters may be lower-case.
  public init?(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "0"..."9": event = UInt8(clamping: scalar.value - 48)
    case "*": event = 10
    case "#": event = 11
    case "A"..."D": event = UInt8(clamping: scalar.value - 65 + 12)
    case "a"..."d": event = UInt8(clamping: scalar.value - 97 + 12)
    default: return nil
    }
  }

  private init(known event: UInt8) { self.event = event }

  public static let star = DTMFDigit(known: 10)
  public static let pound = DTMFDigit(known: 11)
}

extension DTMFDigit: CustomStringConvertible {
  /// One character.
  public var description: String {
    switch event {
    case 10: "*"
    case 11: "#"
    case 12...: String(Unicode.Scalar(event - 12 + 65))
    default: String(Unicode.Scalar(event + 48))
    }
  }
}
