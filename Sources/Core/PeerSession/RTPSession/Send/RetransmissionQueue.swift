import MediaCore
import RTP

/// The packets that wait to be sent again, in the order in which they were asked for; bounded.
struct RetransmissionQueue {
  private static var limit: Int { 128 }

  private var numbers = InlineArray<128, SequenceNumber>(repeating: SequenceNumber(0))
  private var first = 0
  private var count = 0
  private var interval = TimeSpan.zero

  var isEmpty: Bool { count == 0 }

  /// - Parameter minimumInterval: a packet is not sent twice in such a time.
  mutating func append(_ number: SequenceNumber, minimumInterval: TimeSpan) {
    guard count < Self.limit, !contains(number) else { return }
    numbers[(first + count) % Self.limit] = number
    count += 1
    interval = minimumInterval
  }

  private func contains(_ number: SequenceNumber) -> Bool {
    var index = 0
    while index < count {
      if numbers[(first + index) % Self.limit] == number { return true }
      index += 1
    }
    return false
  }

  mutating func popFirst() -> (number: SequenceNumber, interval: TimeSpan)? {
    guard count > 0 else { return nil }
    defer {
      first = (first + 1) % Self.limit
      count -= 1
    }
    return (numbers[first], interval)
  }

  mutating func removeAll() { count = 0 }
}
