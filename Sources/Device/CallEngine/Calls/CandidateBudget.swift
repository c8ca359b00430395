import Signalling

/// The limit of the other side's candidates for a call: few and short. Counts those that it drops.
struct CandidateBudget: Sendable {
  /// An agent has some twenty, and as many again after a restart of ICE.
  static let maximumCount = 256
  static let maximumBytes = 64 << 10

  private var count = 0
  private var byteCount = 0
  private(set) var dropped = 0

  /// Those of `candidates` that are taken, in their order.
  mutating func take(_ candidates: [String]) -> [String] {
    candidates.filter { candidate in
      let length = candidate.utf8.count
      guard length <= MessageLimits.candidate, count < Self.maximumCount, length <= Self.maximumBytes - byteCount
      else {
        dropped += 1
        return false
      }
      count += 1
      byteCount += length
      return true
    }
  }
}
