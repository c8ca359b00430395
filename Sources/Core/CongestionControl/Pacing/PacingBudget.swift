public import MediaCore

/// Spreads packets over time: what may leave now, and when more may.
///
/// Octets accrue at the pacing rate up to a short burst, or only so that packets leave one by one. A packet may leave
/// while there is any, so the budget may fall below zero by one packet, and by what leaves without asking (sound).
public struct PacingBudget: Sendable {
  /// An ordinary frame leaves at once; a key frame does not.
  private static var burst: Double { 0.01 }
  private static var smallestBurst: Double { 4_000 }
  private static var onePacket: Double { 1_200 }
  /// Slack for a sleeping sender, so that nothing is lost when it wakes late.
  private static var slack: Double { 1.5 }
  /// A sleeping sender wakes for this duration's worth of octets rather than for each packet.
  private static var quantum: Double { 0.005 }

  /// In octets a second.
  private var rate: Double
  private var octets: Double
  private var updated: MonotonicInstant?
  private var isEven = false

  /// - Parameter rate: how fast packets may leave; brought to 8 kbit/s at least. 4,000 octets may leave at once.
  public init(rate: Bitrate) {
    self.rate = max(1_000, Double(rate.bitsPerSecond) / 8)
    octets = Self.smallestBurst
  }

  private var capacity: Double {
    isEven ? max(Self.slack * awaited, Self.onePacket) : max(rate * Self.burst, Self.smallestBurst)
  }

  /// Octets for which it is worth waking up.
  private var awaited: Double { min(rate * Self.quantum, Self.smallestBurst) }

  /// Accrues what the time since the last call brings, then continues at `rate`.
  ///
  /// - Parameter isEven: packets leave one by one, since the path is known to be no faster.
  public mutating func update(rate: Bitrate, isEven: Bool = false, now: MonotonicInstant) {
    self.isEven = isEven
    if let updated, now > updated { octets = min(octets + (now - updated).seconds * self.rate, capacity) }
    updated = max(updated ?? now, now)
    self.rate = max(1_000, Double(rate.bitsPerSecond) / 8)
  }

  /// Whether a packet may leave now.
  public var isOpen: Bool { octets > 0 }

  /// Discards saved octets, so that the next packets leave evenly from now on.
  public mutating func drain() { octets = min(octets, 1) }

  /// Notes that a packet left, whether it asked or not.
  public mutating func spend(_ byteCount: Int) { octets = max(octets - Double(byteCount), -rate / 4) }

  /// When to ask again while it is not open.
  public var reopening: MonotonicInstant {
    guard let updated else { return MonotonicInstant(nanoseconds: .min) }
    guard !isOpen else { return updated }
    let wait = (awaited - octets) / rate
    return updated + TimeSpan(seconds: wait) + TimeSpan(nanoseconds: 1)
  }

  /// How long these octets take to leave.
  public func delay(of byteCount: Int) -> TimeSpan { TimeSpan(seconds: Double(byteCount) / rate) }
}
