public import MediaCore

/// Relates the NTP clock of a peer's sender reports to the local monotonic clock; all streams of the peer share one.
///
/// The offset is the least of the last reports' (the one that waited least in queues), followed slowly, so that a
/// peer's drifting clock stays related for days.
public struct PeerTimeline: Sendable {
  private static var window: Int { 16 }
  /// How far one report may move the offset.
  private static var maximumStep: Int64 { 1_000_000 }
  /// A difference larger than drift: the peer's clock was set.
  private static var maximumDrift: UInt64 { 1_000_000_000 }

  private var reference: NTPTimestamp?
  private var offsets = InlineArray<16, Int64>(repeating: 0)
  private var count = 0
  private var nextIndex = 0
  /// Local nanoseconds at the reference NTP time.
  private var offset: Int64 = 0

  /// Nothing is known of the peer's clock.
  public init() {}

  /// Notes when a sender report with this NTP time arrived.
  public mutating func receive(_ ntp: NTPTimestamp, now: MonotonicInstant) {
    guard ntp.rawValue != 0 else { return }
    let sample = now.nanoseconds &- ntp.timeSpan(since: reference ?? ntp).nanoseconds
    guard reference != nil, (sample &- offset).magnitude < Self.maximumDrift else {
      restart(ntp, now: now)
      return
    }
    offsets[nextIndex] = sample
    nextIndex = (nextIndex + 1) % Self.window
    count = min(count + 1, Self.window)
    var least = offsets[0]
    for index in 1..<max(1, count) { least = min(least, offsets[index]) }
    offset += min(max(least - offset, -Self.maximumStep), Self.maximumStep)
  }

  private mutating func restart(_ ntp: NTPTimestamp, now: MonotonicInstant) {
    reference = ntp
    offset = now.nanoseconds
    offsets[0] = offset
    count = 1
    nextIndex = 1
  }

  /// The local instant of a time on the peer's NTP clock; nil before the first report.
  public func instant(of ntp: NTPTimestamp) -> MonotonicInstant? {
    guard let reference else { return nil }
    return MonotonicInstant(nanoseconds: offset &+ ntp.timeSpan(since: reference).nanoseconds)
  }
}
