import MediaCore

/// Why an RTCP packet was refused.
public enum RTCPError: Error, Hashable, Sendable {
  /// A length runs past the end, or a packet is shorter than its type or its own counts require.
  case shortPacket
  case unsupportedVersion
}

/// Walks a compound or reduced-size RTCP packet (RFC 3550 §6.1, RFC 5506), one call an item.
///
/// Anything but an ``RTCPItem`` is skipped by its length. Items before a malformed packet are still yielded.
public struct RTCPReader: Sendable {
  /// What repeats until the end of the current packet.
  private enum Repeating {
    case nothing
    case reportBlocks(reporter: SSRC, left: Int)
    case goodbyes(left: Int)
    case nacks(media: SSRC)
    case fullIntraRequests
    case extendedReports(reporter: SSRC)
    case referenceAnswers(reporter: SSRC, left: Int)
  }

  private var position = 0
  private var end = 0
  private var repeating = Repeating.nothing

  /// Begins before the first packet of a compound.
  public init() {}

  /// Returns the next item, or nil at the end. Pass the same compound packet each time.
  public mutating func next(in compound: RawSpan) throws(RTCPError) -> RTCPItem? {
    do {
      while true {
        if let item = try nextRepeated(in: compound) { return item }
        position = end
        guard position < compound.byteCount else { return nil }
        if let item = try beginPacket(in: compound) { return item }
      }
    } catch let failure {
      position = compound.byteCount
      end = position
      repeating = .nothing
      throw failure
    }
  }
}

extension RTCPReader {
  private struct Head {
    var count: UInt8
    var type: UInt8
    var version: UInt8
    var byteCount: Int
  }

  /// Reads a packet's head and fixed part; returns an item when that part is one.
  private mutating func beginPacket(in compound: RawSpan) throws(RTCPError) -> RTCPItem? {
    var reader = ByteReader(compound)
    guard (try? reader.skip(position)) != nil, let head = try? Self.readHead(&reader) else { throw .shortPacket }
    guard head.version == 2 else { throw .unsupportedVersion }
    guard let content = try? reader.readBytes(head.byteCount) else { throw .shortPacket }
    var body = ByteReader(content)
    do {
      let item = try begin(head, body: &body)
      end = position + 4 + head.byteCount
      position += 4 + body.offset
      return item
    } catch {
      throw .shortPacket
    }
  }

  private static func readHead(_ reader: inout ByteReader) throws(UnexpectedEnd) -> Head {
    let first = try reader.readUInt8()
    let type = try reader.readUInt8()
    return Head(count: first & 0x1F, type: type, version: first >> 6, byteCount: 4 * Int(try reader.readUInt16()))
  }

  private mutating func begin(_ head: Head, body: inout ByteReader) throws(UnexpectedEnd) -> RTCPItem? {
    repeating = .nothing
    switch head.type {
    case RTCPPacketType.senderReport:
      let reporter = SSRC(try body.readUInt32())
      repeating = .reportBlocks(reporter: reporter, left: Int(head.count))
      return .senderReport(reporter, try Self.readSenderInfo(&body))
    case RTCPPacketType.receiverReport:
      repeating = .reportBlocks(reporter: SSRC(try body.readUInt32()), left: Int(head.count))
      return nil
    case RTCPPacketType.goodbye:
      repeating = .goodbyes(left: Int(head.count))
      return nil
    case RTCPPacketType.transportFeedback, RTCPPacketType.payloadFeedback:
      return try beginFeedback(head, body: &body)
    case RTCPPacketType.extendedReport:
      repeating = .extendedReports(reporter: SSRC(try body.readUInt32()))
      return nil
    default:
      return nil
    }
  }

  private mutating func beginFeedback(_ head: Head, body: inout ByteReader) throws(UnexpectedEnd) -> RTCPItem? {
    try body.skip(4)
    let media = SSRC(try body.readUInt32())
    switch (head.type, head.count) {
    case (RTCPPacketType.transportFeedback, RTCPFeedbackType.genericNack):
      repeating = .nacks(media: media)
      return nil
    case (RTCPPacketType.transportFeedback, RTCPFeedbackType.transportWide):
      let offset = position + 4 + body.offset
      guard let feedback = TransportFeedback(reading: body.readRemaining(), media: media, at: offset) else {
        throw UnexpectedEnd()
      }
      return .transportFeedback(feedback)
    case (RTCPPacketType.payloadFeedback, RTCPFeedbackType.pictureLossIndication):
      return .pictureLossIndication(media: media)
    case (RTCPPacketType.payloadFeedback, RTCPFeedbackType.fullIntraRequest):
      repeating = .fullIntraRequests
      return nil
    case (RTCPPacketType.payloadFeedback, RTCPFeedbackType.applicationLayer):
      return Self.readREMB(&body)
    default:
      return nil
    }
  }

  /// Any other application-layer feedback is no error: nil.
  private static func readREMB(_ body: inout ByteReader) -> RTCPItem? {
    guard let identifier = try? body.readUInt32(), identifier == rembIdentifier else { return nil }
    guard let count = try? body.readUInt8(), let value = try? body.readUInt24() else { return nil }
    var sources = NamedSources()
    for _ in 0..<count { if let source = try? body.readUInt32() { sources.append(SSRC(source)) } }
    let mantissa = UInt64(value & 0x3FFFF)
    let exponent = UInt64(value >> 18)
    let isTooLarge = exponent > 40
    return .receiverEstimatedMaximumBitrate(
      Bitrate(
        bitsPerSecond: isTooLarge && mantissa > 0 ? Int.max : Int(clamping: mantissa << min(exponent, 40))),
      of: sources)
  }
}

extension RTCPReader {
  private mutating func nextRepeated(in compound: RawSpan) throws(RTCPError) -> RTCPItem? {
    guard position < end, end <= compound.byteCount else { return nil }
    var reader = ByteReader(compound.extracting(position..<end))
    do {
      let item = try readRepeated(&reader)
      position += reader.offset
      return item
    } catch {
      throw .shortPacket
    }
  }

  private mutating func readRepeated(_ reader: inout ByteReader) throws(UnexpectedEnd) -> RTCPItem? {
    switch repeating {
    case .nothing:
      return nil
    case .reportBlocks(let reporter, let left):
      guard left > 0 else { return nil }
      repeating = .reportBlocks(reporter: reporter, left: left - 1)
      return .reportBlock(reporter: reporter, try Self.readReportBlock(&reader))
    case .goodbyes(let left):
      guard left > 0 else { return nil }
      repeating = .goodbyes(left: left - 1)
      return .goodbye(SSRC(try reader.readUInt32()))
    case .nacks(let media):
      let first = SequenceNumber(try reader.readUInt16())
      return .nack(media: media, NackEntry(first: first, following: try reader.readUInt16()))
    case .fullIntraRequests:
      let media = SSRC(try reader.readUInt32())
      let number = try reader.readUInt8()
      try reader.skip(3)
      return .fullIntraRequest(media: media, number: number)
    case .extendedReports(let reporter):
      return try readExtendedReport(of: reporter, &reader)
    case .referenceAnswers(let reporter, let left):
      repeating =
        left > 1 ? .referenceAnswers(reporter: reporter, left: left - 1) : .extendedReports(reporter: reporter)
      return .receiverReferenceAnswer(
        ReferenceTimeAnswer(
          ssrc: SSRC(try reader.readUInt32()), lastReferenceTime: try reader.readUInt32(),
          delay: try reader.readUInt32()))
    }
  }

  /// Reads a block of an extended report, skipping those that are not for us (RFC 3611 §3).
  private mutating func readExtendedReport(
    of reporter: SSRC, _ reader: inout ByteReader
  ) throws(UnexpectedEnd) -> RTCPItem? {
    while !reader.isAtEnd {
      let type = try reader.readUInt8()
      try reader.skip(1)
      let byteCount = 4 * Int(try reader.readUInt16())
      switch (type, byteCount) {
      case (ExtendedReportType.receiverReferenceTime, 8):
        return .receiverReferenceTime(reporter: reporter, NTPTimestamp(rawValue: try reader.readUInt64()))
      case (ExtendedReportType.referenceAnswers, 12...):
        guard byteCount % 12 == 0, byteCount <= reader.remaining else { throw UnexpectedEnd() }
        repeating = .referenceAnswers(reporter: reporter, left: byteCount / 12)
        return try readRepeated(&reader)
      default:
        try reader.skip(byteCount)
      }
    }
    return nil
  }

  private static func readSenderInfo(_ reader: inout ByteReader) throws(UnexpectedEnd) -> SenderInfo {
    SenderInfo(
      ntp: NTPTimestamp(rawValue: try reader.readUInt64()), rtpTimestamp: try reader.readUInt32(),
      packetCount: try reader.readUInt32(), octetCount: try reader.readUInt32())
  }

  private static func readReportBlock(_ reader: inout ByteReader) throws(UnexpectedEnd) -> ReportBlock {
    let ssrc = SSRC(try reader.readUInt32())
    let fractionLost = try reader.readUInt8()
    // Sign-extends 24 bits.
    let lost = Int32(bitPattern: try reader.readUInt24() << 8) >> 8
    return ReportBlock(
      ssrc: ssrc, fractionLost: fractionLost, cumulativeLost: lost,
      extendedHighestSequenceNumber: try reader.readUInt32(), jitter: try reader.readUInt32(),
      lastSenderReport: try reader.readUInt32(), delaySinceLastSenderReport: try reader.readUInt32()
    )
  }
}
