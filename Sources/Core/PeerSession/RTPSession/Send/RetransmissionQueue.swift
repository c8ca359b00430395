import MediaCore
import RTP

/// The packets to retransmit, in the order of their requests; bounded.
struct RetransmissionQueue {
  private var numbers = BoundedQueue<SequenceNumber>(capacity: 128)
  private var interval = TimeSpan.zero

  var isEmpty: Bool { numbers.isEmpty }

  /// - Parameter minimumInterval: a packet is not sent twice in such a time.
  mutating func append(_ number: SequenceNumber, minimumInterval: TimeSpan) {
    guard !numbers.contains(number), numbers.append(number) else { return }
    interval = minimumInterval
  }

  mutating func popFirst() -> (number: SequenceNumber, interval: TimeSpan)? {
    numbers.popFirst().map { ($0, interval) }
  }

  mutating func removeAll() { numbers.removeAll() }
}
