import MediaCore

/// Decides when a packet overtakes the one before it, so that the peer sees a gap and names all packets that it misses.
///
/// Some receivers (aiortc) send requests only when they see a gap, for all missing packets, and never repeat them. When
/// such a request or its answer is lost, their video freezes until a further packet is. An overtaken packet costs
/// nothing but a NACK, and comes a few milliseconds late. A peer that was seen to repeat its requests is spared.
struct NackElicitation {
  /// At most one packet of a frame.
  private static var interval: TimeSpan { .milliseconds(30) }
  /// How long after a report of losses more of them are expected.
  private static var memory: TimeSpan { .seconds(10) }

  /// Until the peer has noticed the gap; its request for the overtaken packet is not answered.
  static var reactionTime: TimeSpan { .milliseconds(40) }

  private var lastLoss: MonotonicInstant?
  private var last: MonotonicInstant?
  /// Whether requests came since the last conclusion, and one of them for a packet for the first time.
  private var hasRequests = false
  private var hasNewRequests = false
  /// The peer repeats a request, without another loss.
  private var peerRepeats = false

  /// Takes the fraction lost, in 256ths, that a report carries. Requests do not count: they may be provoked.
  mutating func note(_ fractionLost: UInt8, now: MonotonicInstant) {
    if fractionLost > 0 { lastLoss = now }
  }

  /// Takes a request for a packet, which may have been sent again before.
  mutating func noteRequest(isRepeated: Bool) {
    hasRequests = true
    if !isRepeated { hasNewRequests = true }
  }

  /// All requests of a NACK have been taken.
  mutating func concludeRequests() {
    if hasRequests, !hasNewRequests { peerRepeats = true }
    (hasRequests, hasNewRequests) = (false, false)
  }

  func isDue(now: MonotonicInstant) -> Bool {
    guard !peerRepeats, let lastLoss, now - lastLoss <= Self.memory else { return false }
    return last.map { now - $0 >= Self.interval } ?? true
  }

  mutating func noteOvertaking(now: MonotonicInstant) { last = now }
}
