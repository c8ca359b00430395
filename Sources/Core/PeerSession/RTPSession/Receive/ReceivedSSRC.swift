import MediaCore
import RTP

/// The source (SSRC) that a receiver follows: its statistics, the peer's timeline, and the numbers and times of the
/// frames made of it, which continue when the peer changes its source.
struct ReceivedSSRC {
  private let clockRate: Int
  private var latch: SSRCLatch
  private var mapper: RTPTimestampMapper
  private var statistics: ReceiveStatistics
  var sequence = FrameSequence()

  init(ssrc: SSRC, clockRate: Int, now: MonotonicInstant) {
    self.clockRate = clockRate
    latch = SSRCLatch(ssrc, now: now)
    mapper = RTPTimestampMapper(clockRate: clockRate)
    statistics = ReceiveStatistics(ssrc: ssrc, clockRate: clockRate)
  }

  var ssrc: SSRC { latch.ssrc }

  /// Packets of the source that have not come; negative when duplicates outnumber them.
  var lossCount: Int64 { statistics.cumulativeLost }

  /// When a packet last came, of whichever stream it was.
  var lastPacket: MonotonicInstant { latch.lastPacket }

  /// The peer has ended this source.
  var hasEnded: Bool { latch.hasEnded }

  /// Counts a packet of the source itself.
  mutating func receive(_ header: RTPHeader, now: MonotonicInstant) {
    latch.notePacket(now: now)
    statistics.receive(header, now: now)
  }

  /// Counts a packet of the source that is neither audio nor video.
  mutating func receiveTelephoneEvent(_ header: RTPHeader, now: MonotonicInstant) {
    latch.notePacket(now: now)
    statistics.receive(header, updatesJitter: false, now: now)
  }

  /// Notes that a packet was sent again on its retransmission stream.
  mutating func noteRetransmission(now: MonotonicInstant) { latch.notePacket(now: now) }

  mutating func receive(_ info: SenderInfo, timeline: borrowing PeerTimeline, now: MonotonicInstant) {
    statistics.receive(info, now: now)
    mapper.receive(info, timeline: timeline)
  }

  mutating func noteGoodbye() { latch.noteGoodbye() }

  /// Switches to another source; false when it is not yet time for a change. Whatever was made of packets of the old
  /// one is void then.
  mutating func change(to ssrc: SSRC, now: MonotonicInstant) -> Bool {
    guard latch.change(to: ssrc, now: now) else { return false }
    mapper = RTPTimestampMapper(clockRate: clockRate)
    statistics = ReceiveStatistics(ssrc: ssrc, clockRate: clockRate)
    sequence.noteLoss()
    return true
  }

  /// The local instant of a timestamp of the source.
  ///
  /// - Parameter arrival: when the packet came.
  mutating func instant(of timestamp: UInt32, arrival: MonotonicInstant) -> MonotonicInstant {
    mapper.instant(of: timestamp, arrival: arrival)
  }

  mutating func makeReportBlock(now: MonotonicInstant) -> ReportBlock? { statistics.makeReportBlock(now: now) }
}
