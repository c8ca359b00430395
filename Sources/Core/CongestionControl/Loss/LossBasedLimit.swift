import MediaCore

/// The rate that losses allow (draft-ietf-rmcat-gcc-02 §6): over 10 % lower it, few raise it.
///
/// Fractions are smoothed over some seconds, and up to 7 % the limit still rises slowly: on a path that loses one packet
/// in twenty by its nature, chance alone would otherwise wear the rate down. What a path loses at any send rate
/// (``InherentLoss``) counts for nothing.
struct LossBasedLimit {
  private static var interval: TimeSpan { .seconds(1) }
  private static var minimumPackets: Int { 20 }
  private static var smoothing: Double { 0.5 }

  /// In bits a second.
  private(set) var rate: Double
  /// Smoothed, 0 to 1.
  private(set) var lossFraction = 0.0
  private let limits: ClosedRange<Double>
  private var inherent = InherentLoss()
  private var received = 0
  private var lost = 0
  private var octets = 0
  /// Packets since the last receiver report, and those of reports that are not concluded from yet.
  private var sent = 0
  private var reported = 0
  private var reportedLost = 0.0
  private var intervalStart: MonotonicInstant?

  init(limits: ClosedRange<Bitrate>) {
    self.limits = Double(limits.lowerBound.bitsPerSecond)...Double(limits.upperBound.bitsPerSecond)
    rate = self.limits.upperBound
  }

  /// What the path loses by its nature.
  var inherentFraction: Double { inherent.fraction }

  /// The loss beyond that.
  var excessFraction: Double { max(0, lossFraction - inherent.fraction) }

  mutating func countReceived(_ byteCount: Int) {
    received += 1
    octets += byteCount
  }

  mutating func countLost(_ byteCount: Int) {
    lost += 1
    octets += byteCount
  }

  /// A packet that was counted as lost has arrived after all.
  mutating func countLate() {
    lost = max(0, lost - 1)
    received += 1
  }

  /// Draws the conclusion from the packets counted, when there are enough.
  ///
  /// - Parameters:
  ///   - current: the rate in force.
  ///   - isExplained: the losses are those of a queue that was found full and has been answered already.
  mutating func update(current: Double, isExplained: Bool, now: MonotonicInstant) {
    let start = intervalStart ?? now
    intervalStart = start
    guard now - start >= Self.interval, received + lost >= Self.minimumPackets else { return }
    if !isExplained {
      let fraction = Double(lost) / Double(received + lost)
      inherent.note(fraction, sent: Double(octets) * 8 / (now - start).seconds)
      apply(fraction: fraction, current: current)
    }
    received = 0
    lost = 0
    octets = 0
    intervalStart = now
  }

  /// Records a packet whose fate receiver reports will show only in sum.
  mutating func countSent(_ byteCount: Int, now: MonotonicInstant) {
    intervalStart = intervalStart ?? now
    sent += 1
    octets += byteCount
  }

  /// Takes the fraction of packets lost since the last receiver report. Reports of few packets are taken together.
  ///
  /// - Parameters:
  ///   - current: the rate in force.
  ///   - isExplained: the losses are those of a queue that was found full and has been answered already.
  mutating func report(_ fraction: Double, current: Double, isExplained: Bool, now: MonotonicInstant) {
    let start = intervalStart ?? now
    reportedLost += fraction * Double(sent)
    reported += sent
    sent = 0
    guard now > start, reported >= Self.minimumPackets else { return }
    let lost = reportedLost / Double(reported)
    if !isExplained {
      inherent.note(lost, sent: Double(octets) * 8 / (now - start).seconds)
      apply(fraction: lost, current: current)
    }
    (reportedLost, reported, octets) = (0, 0, 0)
    intervalStart = now
  }

  private mutating func apply(fraction: Double, current: Double) {
    lossFraction += Self.smoothing * (fraction - lossFraction)
    switch excessFraction {
    case 0.1...: rate = min(rate, current) * (1 - 0.5 * excessFraction)
    case ..<0.02: rate *= 1.08
    case ..<0.07: rate *= 1.03
    default: break
    }
    rate = min(max(rate, limits.lowerBound), limits.upperBound)
  }

  /// A probe has shown that the path takes this rate.
  mutating func raise(to probed: Double) { rate = min(max(rate, probed), limits.upperBound) }
}
