public import MediaCore

/// How one stream arrives: loss, jitter and the report block for its sender (RFC 3550 §6.4.1, A.1, A.3, A.8).
public struct ReceiveStatistics: Sendable {
  /// The stream's source.
  public let ssrc: SSRC
  /// Ticks a second of its RTP timestamps.
  public let clockRate: Int64
  /// Packets that came.
  public private(set) var packetCount: Int64 = 0
  /// Payload octets.
  public private(set) var octetCount: Int64 = 0

  private var validator = SequenceValidator()
  private var base: Int64 = 0
  private var receivedSinceBase: Int64 = 0
  private var expectedPrior: Int64 = 0
  private var receivedPrior: Int64 = 0
  private var lostBeforeBase: Int64 = 0

  private var lastTransit: Int64?
  /// In 16ths of an RTP clock tick, as A.8 keeps it.
  private var scaledJitter: Int64 = 0

  private var lastSenderReport: (compact: UInt32, arrival: MonotonicInstant)?

  /// - Parameter clockRate: ticks a second; brought to 1 at least.
  public init(ssrc: SSRC, clockRate: Int) {
    self.ssrc = ssrc
    self.clockRate = Int64(max(1, clockRate))
  }

  /// Interarrival jitter in RTP clock ticks.
  public var jitter: UInt32 { UInt32(clamping: scaledJitter >> 4) }

  /// Packets lost so far; negative when duplicates outnumber losses.
  public var cumulativeLost: Int64 { lostBeforeBase + expected - receivedSinceBase }

  /// The highest sequence number with its count of cycles in the upper half.
  public var extendedHighest: UInt32 {
    UInt32(truncatingIfNeeded: (validator.highest ?? 0) - 0x1_0000)
  }

  private var expected: Int64 { validator.highest.map { $0 - base + 1 } ?? 0 }

  /// Notes a packet of the stream, not a retransmission, which would spoil the jitter.
  ///
  /// - Parameter updatesJitter: false for a packet whose timestamp does not say when it was sent, such as a
  ///   telephone-event.
  public mutating func receive(_ header: RTPHeader, updatesJitter: Bool = true, now: MonotonicInstant) {
    let isFirst = validator.highest == nil
    let lostSoFar = cumulativeLost
    switch validator.check(header.sequenceNumber) {
    case .rejected:
      return
    case .restarted(let extended):
      lostBeforeBase = lostSoFar
      restart(at: extended)
    case .accepted(let extended):
      if isFirst { restart(at: extended) }
      base = min(base, extended)
    }
    packetCount += 1
    receivedSinceBase += 1
    octetCount += Int64(header.payloadRange.count)
    if updatesJitter { updateJitter(timestamp: header.timestamp, now: now) } else { lastTransit = nil }
  }

  private mutating func restart(at extended: Int64) {
    base = extended
    receivedSinceBase = 0
    expectedPrior = 0
    receivedPrior = 0
    lastTransit = nil
  }

  /// RFC 3550 A.8; transit times are compared modulo the RTP clock's 32 bits.
  private mutating func updateJitter(timestamp: UInt32, now: MonotonicInstant) {
    let seconds = now.nanoseconds / 1_000_000_000
    let rest = now.nanoseconds % 1_000_000_000
    let arrival = seconds &* clockRate &+ rest &* clockRate / 1_000_000_000
    let transit = arrival &- Int64(timestamp)
    defer { lastTransit = transit }
    guard let lastTransit else { return }
    let difference = abs(Int64(Int32(truncatingIfNeeded: transit &- lastTransit)))
    scaledJitter += difference - ((scaledJitter + 8) >> 4)
  }

  /// Notes a sender report of the stream.
  public mutating func receive(_ info: SenderInfo, now: MonotonicInstant) {
    lastSenderReport = (info.ntp.compact, now)
  }

  /// The block to report now; the next one counts its fraction from here. Nil before the first packet.
  public mutating func makeReportBlock(now: MonotonicInstant) -> ReportBlock? {
    guard validator.highest != nil else { return nil }
    let expectedInterval = expected - expectedPrior
    let lostInterval = expectedInterval - (receivedSinceBase - receivedPrior)
    expectedPrior = expected
    receivedPrior = receivedSinceBase
    let fraction =
      expectedInterval > 0 && lostInterval > 0 ? (lostInterval << 8) / expectedInterval : 0
    return ReportBlock(
      ssrc: ssrc, fractionLost: UInt8(clamping: fraction),
      cumulativeLost: Int32(clamping: min(max(cumulativeLost, -0x80_0000), 0x7F_FFFF)),
      extendedHighestSequenceNumber: extendedHighest, jitter: jitter,
      lastSenderReport: lastSenderReport?.compact ?? 0,
      delaySinceLastSenderReport: delaySinceReport(now: now))
  }

  private func delaySinceReport(now: MonotonicInstant) -> UInt32 {
    guard let lastSenderReport else { return 0 }
    let delay = max(0, (now - lastSenderReport.arrival).nanoseconds)
    guard delay < 0xFFFF * 1_000_000_000 else { return UInt32.max }
    return UInt32(clamping: delay << 16 / 1_000_000_000)
  }
}
