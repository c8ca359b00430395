public import MediaCore

extension RTCPWriter {
  /// Requests a key frame because frames were lost (RFC 4585 §6.3.1).
  public static func writePictureLossIndication(
    sender: SSRC, media: SSRC, to writer: inout ByteWriter
  ) throws(InsufficientSpace) {
    try writeHead(
      count: RTCPFeedbackType.pictureLossIndication, type: RTCPPacketType.payloadFeedback,
      byteCount: 8, to: &writer)
    try writer.write(sender.rawValue)
    try writer.write(media.rawValue)
  }

  /// Commands a key frame (RFC 5104 §4.3.1).
  ///
  /// - Parameter number: one more than for the command before, modulo 256; the same when that one is repeated.
  public static func writeFullIntraRequest(
    sender: SSRC, media: SSRC, number: UInt8, to writer: inout ByteWriter
  ) throws(InsufficientSpace) {
    try writeHead(
      count: RTCPFeedbackType.fullIntraRequest, type: RTCPPacketType.payloadFeedback, byteCount: 16,
      to: &writer)
    try writer.write(sender.rawValue)
    // The media source of the header is unused and zero (§4.3.1.2); the entry names it.
    try writer.write(UInt32(0))
    try writer.write(media.rawValue)
    try writer.write(number)
    try writer.writeUInt24(0)
  }

  /// Requests packets again (RFC 4585 §6.2.1).
  ///
  /// - Parameter numbers: in ascending order; neighbours share an entry. Nothing is written when there are none.
  public static func writeNack(
    sender: SSRC, media: SSRC, numbers: Span<SequenceNumber>, to writer: inout ByteWriter
  ) throws(InsufficientSpace) {
    guard numbers.count > 0 else { return }
    let lengthOffset = writer.count + 2
    try writeHead(
      count: RTCPFeedbackType.genericNack, type: RTCPPacketType.transportFeedback, byteCount: 0,
      to: &writer)
    try writer.write(sender.rawValue)
    try writer.write(media.rawValue)
    var index = 0
    var entryCount = 0
    while index < numbers.count {
      let entry = takeEntry(from: numbers, at: &index)
      try writer.write(entry.first.rawValue)
      try writer.write(entry.following)
      entryCount += 1
    }
    try writer.overwrite(UInt16(truncatingIfNeeded: 2 + entryCount), at: lengthOffset)
  }

  private static func takeEntry(from numbers: Span<SequenceNumber>, at index: inout Int) -> NackEntry {
    var entry = NackEntry(first: numbers[index], following: 0)
    index += 1
    while index < numbers.count {
      let offset = entry.first.distance(to: numbers[index])
      guard (1...16).contains(offset) else { break }
      entry.following |= 1 << UInt16(offset - 1)
      index += 1
    }
    return entry
  }

  /// Reports to the sender the maximum that this side can receive, all `media` together (draft-alvestrand-rmcat-remb
  /// §2.2).
  ///
  /// - Parameter media: at most 255; more are left out.
  public static func writeReceiverEstimatedMaximumBitrate(
    sender: SSRC, bitrate: Bitrate, media: Span<SSRC>, to writer: inout ByteWriter
  ) throws(InsufficientSpace) {
    let count = min(media.count, 255)
    try writeHead(
      count: RTCPFeedbackType.applicationLayer, type: RTCPPacketType.payloadFeedback,
      byteCount: 16 + 4 * count,
      to: &writer)
    try writer.write(sender.rawValue)
    try writer.write(UInt32(0))
    try writer.write(rembIdentifier)
    try writer.write(UInt8(count))
    try writer.writeUInt24(mantissaAndExponent(of: bitrate))
    for index in 0..<count { try writer.write(media[index].rawValue) }
  }

  /// Six bits of exponent and 18 of mantissa, rounded down.
  private static func mantissaAndExponent(of bitrate: Bitrate) -> UInt32 {
    var mantissa = UInt64(max(0, bitrate.bitsPerSecond))
    var exponent: UInt32 = 0
    while mantissa > 0x3FFFF {
      mantissa >>= 1
      exponent += 1
    }
    return exponent << 18 | UInt32(mantissa)
  }
}
