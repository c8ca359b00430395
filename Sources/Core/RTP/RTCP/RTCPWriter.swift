public import MediaCore

/// Writes RTCP packets one after the other, so that they form a compound packet (RFC 3550 §6.1).
///
/// A compound begins with a sender or receiver report and a source description; where `rtcp-rsize` is agreed,
/// feedback may be sent without a report (RFC 5506).
public enum RTCPWriter {
  /// The maximum number of blocks in a report; more are left out.
  public static let maximumReportBlocks = 31

  /// Writes a sender report (RFC 3550 §6.4.1): 28 octets, and 24 for each block.
  public static func writeSenderReport(
    ssrc: SSRC, info: SenderInfo, blocks: Span<ReportBlock>, to writer: inout ByteWriter
  ) throws(InsufficientSpace) {
    let count = min(blocks.count, maximumReportBlocks)
    try writeHead(count: UInt8(count), type: RTCPPacketType.senderReport, byteCount: 24 + 24 * count, to: &writer)
    try writer.write(ssrc.rawValue)
    try writer.write(info.ntp.rawValue)
    try writer.write(info.rtpTimestamp)
    try writer.write(info.packetCount)
    try writer.write(info.octetCount)
    for index in 0..<count { try write(blocks[index], to: &writer) }
  }

  /// Writes a receiver report (RFC 3550 §6.4.2): 8 octets, and 24 for each block.
  public static func writeReceiverReport(
    ssrc: SSRC, blocks: Span<ReportBlock>, to writer: inout ByteWriter
  ) throws(InsufficientSpace) {
    let count = min(blocks.count, maximumReportBlocks)
    try writeHead(count: UInt8(count), type: RTCPPacketType.receiverReport, byteCount: 4 + 24 * count, to: &writer)
    try writer.write(ssrc.rawValue)
    for index in 0..<count { try write(blocks[index], to: &writer) }
  }

  private static func write(_ block: ReportBlock, to writer: inout ByteWriter) throws(InsufficientSpace) {
    try writer.write(block.ssrc.rawValue)
    try writer.write(block.fractionLost)
    try writer.writeUInt24(UInt32(bitPattern: min(max(block.cumulativeLost, -0x80_0000), 0x7F_FFFF)))
    try writer.write(block.extendedHighestSequenceNumber)
    try writer.write(block.jitter)
    try writer.write(block.lastSenderReport)
    try writer.write(block.delaySinceLastSenderReport)
  }

  /// A source description with the one item CNAME (RFC 3550 §6.5.1).
  ///
  /// - Parameter cname: UTF-8; cut at 255 octets.
  public static func writeSourceDescription(
    ssrc: SSRC, cname: RawSpan, to writer: inout ByteWriter
  ) throws(InsufficientSpace) {
    let length = min(cname.byteCount, 255)
    // The item list ends with at least one zero octet, up to the next 32-bit boundary.
    let chunk = (4 + 2 + length + 1 + 3) & ~3
    try writeHead(count: 1, type: RTCPPacketType.sourceDescription, byteCount: chunk, to: &writer)
    try writer.write(ssrc.rawValue)
    try writer.write(UInt8(1))
    try writer.write(UInt8(length))
    try writer.write(cname.extracting(0..<length))
    for _ in 6 + length..<chunk { try writer.write(UInt8(0)) }
  }

  /// Writes a BYE of one source without a reason (RFC 3550 §6.6): 8 octets.
  public static func writeGoodbye(ssrc: SSRC, to writer: inout ByteWriter) throws(InsufficientSpace) {
    try writeHead(count: 1, type: RTCPPacketType.goodbye, byteCount: 4, to: &writer)
    try writer.write(ssrc.rawValue)
  }

  /// Reports the clock of a party that sends no media, so that it learns its round trip (RFC 3611 §4.4).
  public static func writeReceiverReferenceTime(
    ssrc: SSRC, ntp: NTPTimestamp, to writer: inout ByteWriter
  ) throws(InsufficientSpace) {
    try writeHead(count: 0, type: RTCPPacketType.extendedReport, byteCount: 16, to: &writer)
    try writer.write(ssrc.rawValue)
    try writer.write(ExtendedReportType.receiverReferenceTime)
    try writer.write(UInt8(0))
    try writer.write(UInt16(2))
    try writer.write(ntp.rawValue)
  }

  /// Answers a receiver's reference time (RFC 3611 §4.5).
  public static func writeReferenceAnswer(
    ssrc: SSRC, answer: ReferenceTimeAnswer, to writer: inout ByteWriter
  ) throws(InsufficientSpace) {
    try writeHead(count: 0, type: RTCPPacketType.extendedReport, byteCount: 20, to: &writer)
    try writer.write(ssrc.rawValue)
    try writer.write(ExtendedReportType.referenceAnswers)
    try writer.write(UInt8(0))
    try writer.write(UInt16(3))
    try writer.write(answer.ssrc.rawValue)
    try writer.write(answer.lastReferenceTime)
    try writer.write(answer.delay)
  }

  static func writeHead(
    count: UInt8, type: UInt8, byteCount: Int, to writer: inout ByteWriter
  ) throws(InsufficientSpace) {
    try writer.write(0x80 | count & 0x1F)
    try writer.write(type)
    try writer.write(UInt16(truncatingIfNeeded: byteCount / 4))
  }
}
