public import MediaCore

/// A burst to be sent, faster than the rate in force, to see whether the path takes it.
public struct Probe: Sendable, Hashable {
  /// Marks the probe's packets; never 0.
  public var id: UInt16
  /// How fast the probe is to be sent, headers included.
  public var rate: Bitrate
  /// Octets and packets that make it long enough to be measured.
  public var byteCount: Int
  /// The minimum number of packets; see ``byteCount``.
  public var packetCount: Int
}

/// Decides when to probe and measures the result.
///
/// Probes double the rate while they succeed; one that fails, and each overuse, is followed by a rest.
struct ProbeController {
  private static var length: Double { 0.02 }
  private static var minimumBytes: Int { 1_500 }
  private static var packetCount: Int { 6 }
  /// A probe that arrives faster than it was sent by more than this was held up on the way.
  private static var compression: Double { 1.3 }
  /// A probe slower than this has met a limit.
  private static var expansion: Double { 1.15 }
  /// In seconds.
  private static var jitter: Double { 0.001 }
  private static var timeout: TimeSpan { .seconds(1) }
  private static var rest: TimeSpan { .seconds(3) }
  private static var longestRest: TimeSpan { .seconds(4) }

  private struct Measurement {
    var packetCount = 0
    var byteCount = 0
    var firstByteCount = 0
    var lastByteCount = 0
    var firstSent = MonotonicInstant.distantFuture
    var lastSent = MonotonicInstant(nanoseconds: .min)
    var firstArrived = TimeSpan(nanoseconds: .max)
    var lastArrived = TimeSpan(nanoseconds: .min)
  }

  private var nextID: UInt16 = 1
  private var current: (probe: Probe, began: MonotonicInstant)?
  private var measurement = Measurement()
  private var notBefore: MonotonicInstant?
  private var pause = rest

  /// When ``take(estimate:limit:now:)`` may have a probe.
  func deadline(estimate: Double, limit: Double) -> MonotonicInstant {
    guard estimate < 0.95 * limit else { return .distantFuture }
    if let current { return current.began + Self.timeout }
    return notBefore ?? MonotonicInstant(nanoseconds: .min)
  }

  /// The probe to send now, if it is time for one.
  mutating func take(estimate: Double, limit: Double, now: MonotonicInstant) -> Probe? {
    if let current, now - current.began >= Self.timeout { fail(now: now) }
    guard current == nil, estimate < 0.95 * limit, notBefore.map({ $0 <= now }) ?? true else { return nil }
    let rate = min(2 * estimate, 1.05 * limit)
    let probe = Probe(
      id: nextID, rate: Bitrate(rate),
      byteCount: max(Self.minimumBytes, Int(saturating: rate * Self.length / 8)), packetCount: Self.packetCount)
    nextID = nextID == .max ? 1 : nextID + 1
    current = (probe, now)
    measurement = Measurement()
    return probe
  }

  /// Notes that a queue grew: this is no time for probes.
  mutating func noteOveruse(now: MonotonicInstant) {
    if current != nil { fail(now: now) } else { notBefore = max(notBefore ?? now, now + Self.rest) }
  }

  private mutating func fail(now: MonotonicInstant) {
    current = nil
    notBefore = now + pause
    pause = min(pause * 2, Self.longestRest)
  }

  /// Takes a packet of a probe that arrived; returns the rate that the probe shows, when it is complete.
  mutating func receive(_ packet: SentPacketHistory.Packet, arrived: TimeSpan, now: MonotonicInstant) -> Double? {
    guard let probe = current?.probe, packet.probe == probe.id else { return nil }
    measurement.packetCount += 1
    measurement.byteCount += packet.byteCount
    if arrived < measurement.firstArrived {
      measurement.firstArrived = arrived
      measurement.firstByteCount = packet.byteCount
    }
    measurement.firstSent = min(measurement.firstSent, packet.sent)
    measurement.lastArrived = max(measurement.lastArrived, arrived)
    if packet.sent > measurement.lastSent {
      measurement.lastSent = packet.sent
      measurement.lastByteCount = packet.byteCount
    }
    // A packet or two may be lost.
    guard measurement.packetCount >= probe.packetCount * 4 / 5, measurement.byteCount >= probe.byteCount * 4 / 5
    else { return nil }
    return conclude(probe, now: now)
  }

  private mutating func conclude(_ probe: Probe, now: MonotonicInstant) -> Double? {
    let sending = (measurement.lastSent - measurement.firstSent).seconds
    let arriving = (measurement.lastArrived - measurement.firstArrived).seconds
    guard sending >= 0.001, arriving >= 0.001 else {
      fail(now: now)
      return nil
    }
    guard sending < Self.compression * arriving else {
      fail(now: now)
      return nil
    }
    // Times are compared, not rates: the first packet counts in the one rate, the last in the other, and they differ in
    // size.
    let isFull = arriving > Self.expansion * sending + Self.jitter
    let octets = measurement.byteCount - (isFull ? measurement.firstByteCount : measurement.lastByteCount)
    let rate = Double(octets) * 8 / (isFull ? arriving : sending)
    let result = isFull ? 0.95 * rate : rate
    if isFull {
      fail(now: now)
    } else {
      current = nil
      notBefore = now + .milliseconds(50)
      pause = Self.rest
    }
    return result
  }
}
