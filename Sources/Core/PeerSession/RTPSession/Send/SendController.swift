import CongestionControl
import MediaCore

/// Tracks what has left over the path, what may leave, and how fast.
struct SendController: ~Copyable {
  var rate: SendRateEstimator
  var budget: PacingBudget
  /// The transport-wide number that the next packet gets, extended.
  private(set) var nextTransportNumber: Int64 = 0x1_0000

  init(rate: consuming SendRateEstimator) {
    budget = PacingBudget(rate: rate.estimate)
    self.rate = rate
  }

  /// Notes that a packet left.
  ///
  /// - Parameters:
  ///   - isNumbered: it carries ``nextTransportNumber``.
  ///   - probe: the id of the probe that it is part of, or 0.
  mutating func note(_ byteCount: Int, isNumbered: Bool, probe: UInt16, now: MonotonicInstant) {
    budget.spend(byteCount)
    guard isNumbered else { return rate.sendUnnumbered(byteCount: byteCount, now: now) }
    rate.send(number: nextTransportNumber, byteCount: byteCount, probe: probe, now: now)
    nextTransportNumber += 1
  }
}
