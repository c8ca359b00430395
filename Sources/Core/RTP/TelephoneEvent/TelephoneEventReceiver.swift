public import MediaCore

/// Reports each digit of a stream of telephone-events once: of each a packet comes every few milliseconds, the last one
/// three times, and any of them may get lost (RFC 4733 §2.5.2).
public struct TelephoneEventReceiver: Sendable {
  /// The rate at which a person dials, or a program on their behalf, and no more.
  private static let minimumInterval = TimeSpan.milliseconds(50)
  private static let burst: Int64 = 16
  /// The range of 16 bits.
  private static let longestDuration: Int32 = 0xFFFF

  private struct Current {
    var ssrc: SSRC
    var timestamp: UInt32
    var event: TelephoneEvent
  }

  private var current: Current?
  /// When as many digits as a burst has would have come at the minimum interval.
  private var allowedFrom = MonotonicInstant(nanoseconds: 0)

  public init() {}

  /// Takes a packet of the telephone-event payload type; returns the digit that begins with it, or whose beginning got lost.
  ///
  /// Digits that come faster than a burst of 16 and one each 50 ms after it are skipped.
  public mutating func receive(_ header: RTPHeader, packet: RawSpan, now: MonotonicInstant) -> DTMFDigit? {
    guard header.payloadRange.upperBound <= packet.byteCount,
      let event = try? TelephoneEvent(parsing: packet.extracting(header.payloadRange)),
      let digit = DTMFDigit(event: event.code), begins(event, header), admit(now: now)
    else { return nil }
    return digit
  }

  private mutating func begins(_ event: TelephoneEvent, _ header: RTPHeader) -> Bool {
    let previous = current
    let next = Current(ssrc: header.ssrc, timestamp: header.timestamp, event: event)
    guard let previous, previous.ssrc == header.ssrc else {
      current = next
      return true
    }
    let distance = Int32(bitPattern: header.timestamp &- previous.timestamp)
    // One that others have overtaken.
    guard distance >= 0 else { return false }
    current = next
    return distance > 0 && !isContinuation(next, of: previous, distance: distance)
  }

  /// An event that is longer than its duration field holds continues as another one (RFC 4733 §2.5.1.3).
  private func isContinuation(_ next: Current, of previous: Current, distance: Int32) -> Bool {
    next.event.code == previous.event.code && !previous.event.isEnd
      && (Self.longestDuration...2 * Self.longestDuration).contains(distance)
  }

  private mutating func admit(now: MonotonicInstant) -> Bool {
    let from = max(allowedFrom, now - Self.minimumInterval * Self.burst)
    guard from <= now else { return false }
    allowedFrom = from + Self.minimumInterval
    return true
  }
}
