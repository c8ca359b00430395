import MediaCore

/// Bounds retransmission: over time no more packets are sent again than were sent, so that a peer that requests
/// everything over and over cannot multiply this side's traffic; and no more octets than a third of what the path
/// takes, which makes up for a loss of 30 %, but does not keep a queue full with the packets that it lost.
struct RetransmissionBudget {
  private static var limit: Int { 256 }
  /// A key frame of which every third packet got lost is repaired at once.
  private static var burst: Double { 16_000 }

  private var left = limit
  private var octets = burst
  private var updated: MonotonicInstant?
  /// The recent retransmission rate, in octets a second.
  private var rate = 0.0
  private static var memory: Double { 1 }

  /// A packet was sent for the first time.
  mutating func earn() { left = min(left + 1, Self.limit) }

  /// Time has passed, in which the path took `rate`.
  mutating func earn(at rate: Bitrate, now: MonotonicInstant) {
    let elapsed = updated.map { max(0, (now - $0).seconds) } ?? 0
    updated = now
    self.rate *= max(0, 1 - elapsed / Self.memory)
    octets = min(octets + elapsed * Double(rate.bitsPerSecond) / 24, Self.burst)
  }

  /// Whether no more packets may be sent again now.
  var isExhausted: Bool { left == 0 || octets <= 0 }

  /// The recent retransmission rate.
  var bitrate: Bitrate { Bitrate(8 * rate) }

  mutating func spend(_ byteCount: Int) {
    left = max(left - 1, 0)
    octets -= Double(byteCount)
    rate += Double(byteCount) / Self.memory
  }
}
