public import MediaCore

/// Counts one stream's packets, makes its sender reports, and learns from the peer's report blocks (RFC 3550 §6.4).
public struct SendStatistics: Sendable {
  /// The stream's source.
  public let ssrc: SSRC
  /// Ticks a second of its RTP timestamps.
  public let clockRate: Int64
  /// Packets that were sent.
  public private(set) var packetCount: Int64 = 0
  /// Payload octets.
  public private(set) var octetCount: Int64 = 0
  /// The peer's last report on this stream.
  public private(set) var lastReport: ReportBlock?

  private var lastTimestamp: (rtp: UInt32, captured: MonotonicInstant)?
  private var roundTrips = RoundTripMeter()

  /// - Parameter clockRate: ticks a second; brought to 1 at least.
  public init(ssrc: SSRC, clockRate: Int) {
    self.ssrc = ssrc
    self.clockRate = Int64(max(1, clockRate))
  }

  /// Smoothed over reports; nil before the first that answers a sender report.
  public var roundTrip: TimeSpan? { roundTrips.roundTrip }

  /// Counts a packet with `payloadByteCount` octets of payload.
  ///
  /// - Parameter captured: the instant on the media timeline that `timestamp` stands for.
  public mutating func send(timestamp: UInt32, captured: MonotonicInstant, payloadByteCount: Int) {
    packetCount &+= 1
    octetCount &+= Int64(payloadByteCount)
    lastTimestamp = (timestamp, captured)
  }

  /// The sender information for a report that leaves now; nil before the first packet.
  ///
  /// - Parameter ntp: the NTP time of `now`.
  public mutating func makeSenderInfo(ntp: NTPTimestamp, now: MonotonicInstant) -> SenderInfo? {
    guard let lastTimestamp else { return nil }
    roundTrips.send(ntp, now: now)
    let elapsed = (now - lastTimestamp.captured).nanoseconds
    let seconds = elapsed / 1_000_000_000 &* clockRate
    let ticks = seconds &+ elapsed % 1_000_000_000 &* clockRate / 1_000_000_000
    return SenderInfo(
      ntp: ntp, rtpTimestamp: lastTimestamp.rtp &+ UInt32(truncatingIfNeeded: ticks),
      packetCount: UInt32(truncatingIfNeeded: packetCount),
      octetCount: UInt32(truncatingIfNeeded: octetCount))
  }

  /// Takes a report block on this stream; others are ignored. Returns the round trip that it shows, if any.
  @discardableResult
  public mutating func receive(_ block: ReportBlock, now: MonotonicInstant) -> TimeSpan? {
    guard block.ssrc == ssrc else { return nil }
    lastReport = block
    return roundTrips.receive(answerTo: block.lastSenderReport, delay: block.delaySinceLastSenderReport, now: now)
  }
}
