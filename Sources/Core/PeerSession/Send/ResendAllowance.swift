/// Bounds retransmission: over time no more packets are sent again than were sent, so that a peer that asks for
/// everything over and over cannot multiply what this side sends.
struct ResendAllowance {
  private static var limit: Int { 256 }

  private var left = limit

  /// A packet was sent for the first time.
  mutating func earn() { left = min(left + 1, Self.limit) }

  /// Whether one more packet may be sent again.
  var isExhausted: Bool { left == 0 }

  mutating func spend() { left = max(left - 1, 0) }
}
