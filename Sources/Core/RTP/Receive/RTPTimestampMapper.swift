public import MediaCore

/// Maps a stream's RTP timestamps to the local monotonic timeline.
///
/// Until the first sender report, the arrival of the packet that waited least stands for its timestamp; afterwards the
/// peer's NTP clock relates the peer's streams to each other. Results never go back while timestamps go forward, nor when the
/// sender starts its timestamps anew.
public struct RTPTimestampMapper: Sendable {
  /// A result this much before or after the arrival means that the sender has restarted its timestamps.
  private static var maximumAge: Int64 { 10_000_000_000 }
  private static var maximumLead: Int64 { 1_000_000_000 }
  /// A packet that arrives this much before it is due after the anchor shows that the anchor had waited: jitter, or a
  /// peer that begins with what it captured while it was connecting.
  private static var maximumEarliness: Int64 { 60_000_000 }
  /// A larger error is no jitter: one of the peer's clocks was set.
  private static var maximumReportError: UInt64 { 1_000_000_000 }
  /// How far one report may move the relation: drifting clocks are followed up to 500 ppm at a report a second.
  private static var maximumStep: Int64 { 500_000 }

  /// Ticks a second of the RTP timestamps.
  public let clockRate: Int64
  private var highest: Int64?
  /// Extended RTP timestamp and local instant that belong together.
  private var anchor: (ticks: Int64, instant: MonotonicInstant)?
  private var report: (ticks: Int64, ntp: NTPTimestamp)?
  private var last: (ticks: Int64, instant: MonotonicInstant)?

  /// - Parameter clockRate: ticks a second; brought to 1 at least.
  public init(clockRate: Int) { self.clockRate = Int64(max(1, clockRate)) }

  /// Notes a sender report of this stream. Hand the same report to the peer's ``PeerTimeline`` first.
  public mutating func receive(_ info: SenderInfo) {
    guard highest != nil, info.ntp.rawValue != 0 else { return }
    let ticks = extend(info.rtpTimestamp)
    report = (ticks, smoothed(info.ntp, at: ticks))
  }

  /// Follows the relation of the peer's two clocks slowly: many senders read one of them some milliseconds after the
  /// other, and taking each report at its word would shift the stream to and fro once a second.
  private func smoothed(_ ntp: NTPTimestamp, at ticks: Int64) -> NTPTimestamp {
    guard let report else { return ntp }
    let predicted = report.ntp.advanced(by: TimeSpan(nanoseconds: nanoseconds(ticks &- report.ticks)))
    let error = ntp.timeSpan(since: predicted).nanoseconds
    guard error.magnitude < Self.maximumReportError else { return ntp }
    return predicted.advanced(
      by: TimeSpan(nanoseconds: min(max(error / 16, -Self.maximumStep), Self.maximumStep)))
  }

  /// The local instant of a packet's timestamp.
  ///
  /// - Parameter arrival: when the packet came.
  public mutating func instant(
    of timestamp: UInt32, arrival: MonotonicInstant, timeline: borrowing PeerTimeline
  ) -> MonotonicInstant {
    let ticks = extend(timestamp)
    highest = max(highest ?? ticks, ticks)
    var instant = mapped(ticks, timeline: timeline) ?? anchored(ticks, at: arrival)
    let deviation = instant.nanoseconds &- arrival.nanoseconds
    if deviation > Self.maximumLead || deviation < -Self.maximumAge {
      restart(ticks, at: arrival)
      instant = arrival
    }
    return keepOrder(ticks, instant)
  }

  private func mapped(_ ticks: Int64, timeline: borrowing PeerTimeline) -> MonotonicInstant? {
    guard let report, let base = timeline.instant(of: report.ntp) else { return nil }
    return MonotonicInstant(nanoseconds: base.nanoseconds &+ nanoseconds(ticks &- report.ticks))
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
    report = nil
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
