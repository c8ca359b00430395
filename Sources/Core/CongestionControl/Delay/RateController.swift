import MediaCore

/// Raises a rate while the path is free and lowers it when a queue grows (draft-ietf-rmcat-gcc-02 §5.5).
///
/// Far from the last known capacity the rate grows by 8 % a second, near to it by about a packet each response time.
struct RateController {
  private static var backoff: Double { 0.85 }
  private static var growth: Double { 1.08 }
  private static var packetBits: Double { 9_600 }

  private(set) var rate: Double
  private let limits: ClosedRange<Double>
  private var isHolding = true
  private var lastUpdate: MonotonicInstant?
  private(set) var lastDecrease: MonotonicInstant?
  private var recovery = Recovery()
  /// Throughput at the moments of overuse: what the path could take then.
  private var capacity: CapacityEstimate = CapacityEstimate()

  init(start: Bitrate, limits: ClosedRange<Bitrate>) {
    self.limits = Double(limits.lowerBound.bitsPerSecond)...Double(limits.upperBound.bitsPerSecond)
    rate = Double(start.bitsPerSecond)
  }

  /// - Parameters:
  ///   - throughput: what arrived lately, in bits a second; nil when it is not known.
  ///   - isCertain: the queue is longer than noise could make it seem.
  mutating func update(
    _ usage: PathUsage, isCertain: Bool, throughput: Double?, roundTrip: TimeSpan, now: MonotonicInstant
  ) {
    defer { lastUpdate = now }
    switch usage {
    case .underuse:
      // The queue has to drain first.
      isHolding = true
    case .normal:
      if !isHolding { increase(throughput: throughput, roundTrip: roundTrip, now: now) }
      isHolding = false
    case .overuse:
      decrease(isCertain: isCertain, throughput: throughput, roundTrip: roundTrip, now: now)
      isHolding = true
    }
  }

  /// Lowers the rate to a part of the throughput so that a queue drains; returns whether it did.
  ///
  /// - Parameter patience: how long a decrease takes to show.
  mutating func drain(
    _ factor: Double, isCertain: Bool, throughput: Double?, patience: TimeSpan, now: MonotonicInstant
  ) -> Bool {
    isHolding = true
    lastUpdate = now
    if let lastDecrease, now - lastDecrease < patience { return false }
    recovery.noteAlarm(from: rate, isCertain: isCertain, now: now)
    rate = clamped(min(factor * (throughput ?? rate), rate))
    lastDecrease = now
    return true
  }

  /// Notes that no queue stands, because it drained or because the path is longer than it was.
  mutating func noteEmpty(isPathLonger: Bool) { recovery.noteEmpty(isPathLonger: isPathLonger) }

  /// A probe has shown that the path takes so much.
  mutating func raise(to probed: Double) {
    rate = clamped(max(rate, probed))
    capacity.forget(above: rate)
  }

  /// Takes a rate from elsewhere, for example because nothing is heard from the peer.
  mutating func lower(to other: Double) { rate = clamped(min(rate, other)) }

  private mutating func increase(throughput: Double?, roundTrip: TimeSpan, now: MonotonicInstant) {
    let elapsed = min(lastUpdate.map { (now - $0).seconds } ?? 0, 1)
    if let throughput { capacity.forget(below: throughput) }
    let increased: Double
    if let recovered = recovery.raise(rate, over: elapsed) {
      increased = recovered
    } else if capacity.isKnown {
      let response = roundTrip.seconds + 0.1
      increased = rate + max(4_000, Self.packetBits / response) * elapsed
    } else {
      increased = rate * (1 + (Self.growth - 1) * elapsed)
    }
    // What is not used is not tried either.
    let limit = throughput.map { 1.5 * $0 + 10_000 } ?? .infinity
    if rate < limit { rate = clamped(min(increased, limit)) }
  }

  private mutating func decrease(
    isCertain: Bool, throughput: Double?, roundTrip: TimeSpan, now: MonotonicInstant
  ) {
    // One response time passes until a decrease shows.
    let response = max(roundTrip, .milliseconds(50)) + .milliseconds(100)
    let isFarOff = throughput.map { $0 < rate / 2 } ?? false
    if let lastDecrease, now - lastDecrease < (isFarOff ? response / 2 : response) { return }
    if let throughput { capacity.add(throughput) }
    recovery.noteAlarm(from: rate, isCertain: isCertain, now: now)
    rate = clamped(min(Self.backoff * (throughput ?? rate), rate))
    lastDecrease = now
  }

  private func clamped(_ value: Double) -> Double { min(max(value, limits.lowerBound), limits.upperBound) }
}

/// The mean and deviation of throughputs that proved too much.
private struct CapacityEstimate {
  private var mean: Double?
  /// Relative to the mean.
  private var variance = 0.01

  var isKnown: Bool { mean != nil }

  private var deviation: Double { (variance.squareRoot()) * (mean ?? 0) }

  mutating func add(_ sample: Double) {
    guard let mean, abs(sample - mean) <= 3 * deviation else {
      self.mean = sample
      variance = 0.01
      return
    }
    let error = (mean - sample) / mean
    self.mean = 0.95 * mean + 0.05 * sample
    variance = min(max(0.95 * variance + 0.05 * error * error, 0.0025), 0.03)
  }

  /// More than expected gets through: the path has changed.
  mutating func forget(below throughput: Double) {
    if let mean, throughput > mean + 3 * deviation { self.mean = nil }
  }

  mutating func forget(above rate: Double) {
    if let mean, rate > mean { self.mean = nil }
  }
}
