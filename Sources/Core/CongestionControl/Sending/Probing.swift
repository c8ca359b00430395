public import MediaCore

/// A burst to be sent, faster than the rate in force, to see whether the path takes it.
public struct Probe: Sendable, Hashable {
  /// Marks the probe's packets; never 0.
  public var id: UInt16
  public var rate: Bitrate
  /// Octets and packets that make it long enough to be measured.
  public var byteCount: Int
  public var packetCount: Int
}

/// Decides when to probe and measures the result.
///
/// Probes double the rate while they succeed; one that fails, and each overuse, is followed by a rest.
struct Probing {
  private static var length: Double { 0.015 }
  private static var minimumBytes: Int { 1_500 }
  private static var packetCount: Int { 5 }
  private static var compression: Double { 1.3 }
  private static var patience: TimeSpan { .seconds(1) }
  private static var rest: TimeSpan { .seconds(3) }
  private static var longestRest: TimeSpan { .seconds(6) }

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

  /// Whether a probe is on its way.
  var isProbing: Bool { current != nil }

  /// When ``take(estimate:limit:now:)`` may have a probe.
  func deadline(estimate: Double, limit: Double) -> MonotonicInstant {
    guard estimate < 0.95 * limit else { return .distantFuture }
    if let current { return current.began + Self.patience }
    return notBefore ?? MonotonicInstant(nanoseconds: .min)
  }

  /// The probe to send now, if it is time for one.
  mutating func take(estimate: Double, limit: Double, now: MonotonicInstant) -> Probe? {
    if let current, now - current.began >= Self.patience { fail(now: now) }
    guard current == nil, estimate < 0.95 * limit, notBefore.map({ $0 <= now }) ?? true else { return nil }
    let rate = min(2 * estimate, 1.05 * limit)
    let probe = Probe(
      id: nextID, rate: Bitrate(bitsPerSecond: Int(rate)),
      byteCount: max(Self.minimumBytes, Int(rate * Self.length / 8)), packetCount: Self.packetCount)
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
  mutating func receive(_ packet: SentPackets.Packet, arrived: TimeSpan, now: MonotonicInstant) -> Double? {
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
    let sent = Double(measurement.byteCount - measurement.lastByteCount) * 8 / sending
    let received = Double(measurement.byteCount - measurement.firstByteCount) * 8 / arriving
    // What arrives much closer than it was sent was held up on the way, and says nothing.
    guard received < Self.compression * sent else {
      fail(now: now)
      return nil
    }
    // Where packets arrive more slowly than they were sent, the path is full.
    let isFull = received < 0.9 * sent
    let result = isFull ? 0.95 * received : min(sent, received)
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
