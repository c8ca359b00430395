import MediaCore

/// What the delays of the last packets say of the path.
struct PathObservation {
  var usage: PathUsage
  /// The queue is longer than noise could make it seem.
  var isCertain: Bool
  /// The known capacity of the path is doubtful.
  var isNoisy: Bool
  /// What arrived lately, in bits a second; nil when it is not known.
  var throughput: Double?
  var roundTrip: TimeSpan
}

/// Raises a rate while the path is free and lowers it when a queue grows (draft-ietf-rmcat-gcc-02 §5.5).
///
/// Where it is not known what the path takes, the rate grows by 8 % a second; towards a known capacity by about a packet
/// each response time, and beyond it slowly, the longer it goes well the faster. Probes find what has become free.
struct RateController {
  private static var backoff: Double { 0.85 }
  private static var growth: Double { 0.08 }
  private static var smallestGrowth: Double { 0.015 }
  /// As a share of the capacity.
  private static var near: Double { 0.95 }
  private static var packetBits: Double { 9_600 }
  /// The share of a path's throughput during a queue that is sent once the queue is gone.
  private static var steady: Double { 0.9 }
  private static var probeStep: Double { 1.25 }

  private(set) var rate: Double
  private let limits: ClosedRange<Double>
  private var isHolding = true
  private var lastUpdate: MonotonicInstant?
  private(set) var lastDecrease: MonotonicInstant?
  private var recovery = Recovery()
  private(set) var capacity = LinkCapacityEstimator()

  init(start: Bitrate, limits: ClosedRange<Bitrate>) {
    self.limits = Double(limits.lowerBound.bitsPerSecond)...Double(limits.upperBound.bitsPerSecond)
    rate = Double(start.bitsPerSecond)
  }

  /// - Parameter drainFactor: the part of the throughput that lets the queue drain in good time.
  mutating func update(_ path: PathObservation, drainFactor: Double, now: MonotonicInstant) {
    defer { lastUpdate = now }
    switch path.usage {
    case .underuse:
      // The queue has to drain first.
      isHolding = true
    case .normal:
      if !isHolding { increase(path, now: now) }
      isHolding = false
    case .overuse:
      decrease(by: min(Self.backoff, drainFactor), path, now: now)
      isHolding = true
    }
  }

  /// Notes what gets through while a queue grows.
  mutating func noteBusy(_ throughput: Double) { capacity.add(throughput) }

  /// Lowers the rate to a part of the throughput so that a queue drains; returns whether it did.
  ///
  /// - Parameter timeout: how long a decrease takes to show.
  mutating func drain(
    _ factor: Double, isCertain: Bool, throughput: Double?, timeout: TimeSpan, now: MonotonicInstant
  ) -> Bool {
    isHolding = true
    lastUpdate = now
    if let lastDecrease, now - lastDecrease < timeout { return false }
    fall(by: factor, isCertain: isCertain, throughput: throughput, now: now)
    return true
  }

  /// Notes that there is no queue, because it drained or because the path is longer than it was.
  mutating func noteEmpty(isPathLonger: Bool) { recovery.noteEmpty(isPathLonger: isPathLonger) }

  /// A probe has shown that the path takes this rate.
  ///
  /// A short probe errs now and then: what contradicts what is known gets its way in steps.
  mutating func raise(to probed: Double) {
    let believed = capacity.rate.map { min(probed, Self.probeStep * max(rate, $0)) } ?? probed
    rate = clamped(max(rate, believed))
    capacity.notePassed(probed)
  }

  /// Lowers the rate because the peer is silent; when it reports again, the rate quickly returns to `previous`.
  mutating func lower(to other: Double, from previous: Double, now: MonotonicInstant) {
    recovery.noteAlarm(from: previous, now: now)
    rate = clamped(min(rate, other))
  }

  private mutating func increase(_ path: PathObservation, now: MonotonicInstant) {
    let elapsed = min(lastUpdate.map { (now - $0).seconds } ?? 0, 1)
    if let throughput = path.throughput { capacity.notePassed(throughput) }
    let increased = recovery.raise(rate, over: elapsed) ?? rate + slope(path, now: now) * elapsed
    let limit = growthLimit(path.throughput)
    if rate < limit { rate = clamped(min(increased, limit)) }
  }

  /// The rate's growth per second.
  private func slope(_ path: PathObservation, now: MonotonicInstant) -> Double {
    guard let known = capacity.rate else { return Self.growth * rate }
    if path.isNoisy || rate < Self.near * known {
      return max(4_000, Self.packetBits / (path.roundTrip.seconds + 0.1))
    }
    // The longer it goes well, the bolder.
    let calm = lastDecrease.map { (now - $0).seconds } ?? 0
    return min(Self.smallestGrowth * (1 + calm / 2), Self.growth) * rate
  }

  /// An unused rate is not tried either; beyond a path's known capacity, little is.
  private func growthLimit(_ throughput: Double?) -> Double {
    guard let throughput else { return .infinity }
    let free = 1.5 * throughput + 10_000
    return capacity.rate.map { min(free, max(1.05 * $0, 1.05 * throughput + 10_000)) } ?? free
  }

  private mutating func decrease(by factor: Double, _ path: PathObservation, now: MonotonicInstant) {
    // One response time passes until a decrease shows.
    let response = max(path.roundTrip, .milliseconds(50)) + .milliseconds(100)
    let isFarOff = path.throughput.map { $0 < rate / 2 } ?? false
    if let lastDecrease, now - lastDecrease < (isFarOff ? response / 2 : response) { return }
    fall(by: factor, isCertain: path.isCertain, throughput: path.throughput, now: now)
  }

  private mutating func fall(by factor: Double, isCertain: Bool, throughput: Double?, now: MonotonicInstant) {
    if isCertain, let throughput {
      recovery.noteQueue(from: rate, steadyAt: min(Self.steady * throughput, rate), now: now)
    } else {
      recovery.noteAlarm(from: rate, now: now)
    }
    rate = clamped(min(factor * (throughput ?? rate), rate))
    lastDecrease = now
  }

  private func clamped(_ value: Double) -> Double { min(max(value, limits.lowerBound), limits.upperBound) }
}
