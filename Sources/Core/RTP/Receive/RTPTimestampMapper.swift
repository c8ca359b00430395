public import MediaCore

/// Maps a stream's RTP timestamps to the local monotonic timeline.
///
/// Until a sender report is trusted, the arrival of the packet that waited least stands for its timestamp; afterwards the
/// peer's NTP clock relates the peer's streams to each other (`ReportedRelation`). A correction that leads back is spread
/// over the media that follow. Results never go back while timestamps go forward, nor when the sender restarts its
/// timestamps.
public struct RTPTimestampMapper: Sendable {
  /// A result this much before or after the arrival means that the sender has restarted its timestamps.
  private static var maximumAge: Int64 { 10_000_000_000 }
  private static var maximumLead: Int64 { 1_000_000_000 }
  /// A packet that arrives this much before it is due after the anchor shows that the anchor had waited: jitter, or a
  /// peer that begins with what it captured while it was connecting.
  private static var maximumEarliness: Int64 { 60_000_000 }
  /// The fraction of passing media by which a backward correction is reduced: frames stay in order and apart.
  private static var correctionPart: Int64 { 3 }

  /// Ticks a second of the RTP timestamps.
  public let clockRate: Int64
  private var highest: Int64?
  /// Extended RTP timestamp and local instant that belong together.
  private var anchor: (ticks: Int64, instant: MonotonicInstant)?
  private var relation = ReportedRelation()
  /// The remaining correction: results are later than the relation says. Nanoseconds.
  private var excess: Int64 = 0
  private var last: (ticks: Int64, instant: MonotonicInstant)?

  /// - Parameter clockRate: ticks a second; brought to 1 at least.
  public init(clockRate: Int) { self.clockRate = Int64(max(1, clockRate)) }

  /// Notes a sender report of this stream. Hand the same report to the peer's ``PeerTimeline`` first.
  public mutating func receive(_ info: SenderInfo, timeline: borrowing PeerTimeline) {
    guard highest != nil, let instant = timeline.instant(of: info.ntp), info.ntp.rawValue != 0 else { return }
    let ticks = extend(info.rtpTimestamp)
    let origin = instant.nanoseconds &- nanoseconds(ticks)
    relation.receive(origin, arrivals: anchor.map { $0.instant.nanoseconds &- nanoseconds($0.ticks) })
  }

  /// The local instant of a packet's timestamp.
  ///
  /// - Parameter arrival: when the packet came.
  public mutating func instant(of timestamp: UInt32, arrival: MonotonicInstant) -> MonotonicInstant {
    let ticks = extend(timestamp)
    highest = max(highest ?? ticks, ticks)
    let anchored = anchored(ticks, at: arrival)
    var instant = mapped(ticks) ?? anchored
    let deviation = instant.nanoseconds &- arrival.nanoseconds
    if deviation > Self.maximumLead || deviation < -Self.maximumAge {
      restart(ticks, at: arrival)
      instant = arrival
    }
    return keepOrder(ticks, instant)
  }

  private mutating func mapped(_ ticks: Int64) -> MonotonicInstant? {
    guard let origin = relation.origin else { return nil }
    let target = origin &+ nanoseconds(ticks)
    guard let last, ticks > last.ticks else { return MonotonicInstant(nanoseconds: target &+ excess) }
    // From where the last result was, as fast as frames can follow each other.
    let soonest =
      last.instant.nanoseconds &+ nanoseconds(ticks &- last.ticks) / Self.correctionPart &* (Self.correctionPart - 1)
    excess = max(0, min(soonest &- target, Self.maximumAge))
    return MonotonicInstant(nanoseconds: target &+ excess)
  }

  private mutating func anchored(_ ticks: Int64, at arrival: MonotonicInstant) -> MonotonicInstant {
    let anchor = anchor ?? (ticks, arrival)
    let instant = MonotonicInstant(nanoseconds: anchor.instant.nanoseconds &+ nanoseconds(ticks &- anchor.ticks))
    let isEarly = instant.nanoseconds &- arrival.nanoseconds > Self.maximumEarliness
    self.anchor = isEarly ? (ticks, arrival) : anchor
    return isEarly ? arrival : instant
  }

  private mutating func restart(_ ticks: Int64, at arrival: MonotonicInstant) {
    anchor = (ticks, arrival)
    relation = ReportedRelation()
    excess = 0
    highest = ticks
    if let last { self.last = (ticks - 1, last.instant) }
  }

  private mutating func keepOrder(_ ticks: Int64, _ instant: MonotonicInstant) -> MonotonicInstant {
    guard let last else {
      self.last = (ticks, instant)
      return instant
    }
    guard ticks > last.ticks else { return min(instant, last.instant) }
    let ordered = max(instant, last.instant + TimeSpan(nanoseconds: 1))
    self.last = (ticks, ordered)
    return ordered
  }

  private func nanoseconds(_ ticks: Int64) -> Int64 {
    ticks / clockRate &* 1_000_000_000 &+ ticks % clockRate &* 1_000_000_000 / clockRate
  }

  /// Extends 32 bits to 64, nearest to the highest so far.
  private func extend(_ timestamp: UInt32) -> Int64 {
    guard let highest else { return Int64(timestamp) }
    return highest &+ Int64(Int32(bitPattern: timestamp &- UInt32(truncatingIfNeeded: highest)))
  }
}
