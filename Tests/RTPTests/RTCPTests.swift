import MediaCore
import RTP
import Testing

@Suite struct RTCPTests {
  private func items(_ packet: [UInt8]) throws(RTCPError) -> [RTCPItem] {
    var reader = RTCPReader()
    var items: [RTCPItem] = []
    while let item = try reader.next(in: packet.span.bytes) { items.append(item) }
    return items
  }

  private func block(_ ssrc: UInt32, lost: Int32) -> ReportBlock {
    ReportBlock(
      ssrc: SSRC(ssrc), fractionLost: 12, cumulativeLost: lost, extendedHighestSequenceNumber: 0x1_0005, jitter: 99,
      lastSenderReport: 0x1234_5678, delaySinceLastSenderReport: 65_536)
  }

  @Test func rfc3550CompoundOfSenderReportAndSDES() throws {
    let info = SenderInfo(
      ntp: NTPTimestamp(rawValue: 0xAABB_CCDD_EEFF_0011), rtpTimestamp: 5, packetCount: 6, octetCount: 7)
    let blocks = [block(1, lost: -2), block(2, lost: 0x7F_FFFF)]
    let packet = try bytes {
      try RTCPWriter.writeSenderReport(ssrc: SSRC(9), info: info, blocks: blocks.span, to: &$0)
      try RTCPWriter.writeSourceDescription(ssrc: SSRC(9), cname: Array("cam".utf8).span.bytes, to: &$0)
      try RTCPWriter.writeGoodbye(ssrc: SSRC(9), to: &$0)
    }
    #expect(packet.count == 28 + 48 + 16 + 8)
    #expect(Array(packet[..<4]) == [0x82, 200, 0, 18])
    #expect(Array(packet[76..<92]) == [0x81, 202, 0, 3, 0, 0, 0, 9, 1, 3, 0x63, 0x61, 0x6D, 0, 0, 0])
    #expect(
      try items(packet) == [
        .senderReport(SSRC(9), info), .reportBlock(reporter: SSRC(9), blocks[0]),
        .reportBlock(reporter: SSRC(9), blocks[1]), .goodbye(SSRC(9)),
      ])
  }

  @Test func rfc3550ReceiverReport() throws {
    let packet = try bytes {
      try RTCPWriter.writeReceiverReport(ssrc: SSRC(9), blocks: [block(1, lost: 3)].span, to: &$0)
    }
    #expect(packet.count == 32)
    #expect(try items(packet) == [.reportBlock(reporter: SSRC(9), block(1, lost: 3))])
  }

  @Test(arguments: 0..<6)
  func rfc3550SDESEndsOnAWordBoundary(length: Int) throws {
    let packet = try bytes {
      try RTCPWriter.writeSourceDescription(
        ssrc: SSRC(9), cname: [UInt8](repeating: 0x61, count: length).span.bytes, to: &$0)
    }
    #expect(packet.count.isMultiple(of: 4))
    #expect(packet.last == 0)
    #expect(packet.count == 4 * (1 + Int(packet[3])))
    #expect(try items(packet).isEmpty)
  }

  @Test func rfc4585And5104FeedbackRoundTrip() throws {
    let numbers: [SequenceNumber] = [0xFFFE, 0xFFFF, 3, 14, 15, 200]
    let packet = try bytes {
      try RTCPWriter.writePictureLossIndication(sender: SSRC(1), media: SSRC(2), to: &$0)
      try RTCPWriter.writeFullIntraRequest(sender: SSRC(1), media: SSRC(3), number: 77, to: &$0)
      try RTCPWriter.writeNack(sender: SSRC(1), media: SSRC(4), numbers: numbers.span, to: &$0)
      try RTCPWriter.writeReceiverEstimatedMaximumBitrate(
        sender: SSRC(1), bitrate: .kilobits(2_500), media: [SSRC(5), SSRC(6)].span, to: &$0)
    }
    let parsed = try items(packet)
    #expect(
      parsed.prefix(2) == [.pictureLossIndication(media: SSRC(2)), .fullIntraRequest(media: SSRC(3), number: 77)])
    var named: [SequenceNumber] = []
    for case .nack(media: SSRC(4), let entry) in parsed {
      named += (0...16).compactMap { entry.number(at: $0) }
      #expect((0...16).compactMap { entry.number(at: $0) }.count == entry.count)
    }
    #expect(named == numbers)
    guard case .receiverEstimatedMaximumBitrate(let bitrate, let sources) = parsed.last else {
      Issue.record("no REMB")
      return
    }
    #expect(abs(bitrate.bitsPerSecond - 2_500_000) < 20)
    #expect(sources.covers(SSRC(5)) && sources.covers(SSRC(6)) && !sources.covers(SSRC(7)))
    #expect(NamedSources().covers(SSRC(7)))
  }

  @Test func rfc3611ReferenceTimesRoundTrip() throws {
    let ntp = NTPTimestamp(rawValue: 0x1122_3344_5566_7788)
    let answer = ReferenceTimeAnswer(ssrc: SSRC(7), lastReferenceTime: 0x3344_5566, delay: 99)
    let packet = try bytes {
      try RTCPWriter.writeReceiverReferenceTime(ssrc: SSRC(9), ntp: ntp, to: &$0)
      try RTCPWriter.writeReferenceAnswer(ssrc: SSRC(9), answer: answer, to: &$0)
    }
    #expect(packet.count == 44)
    #expect(Array(packet[..<12]) == [0x80, 207, 0, 4, 0, 0, 0, 9, 4, 0, 0, 2])
    #expect(
      try items(packet) == [.receiverReferenceTime(reporter: SSRC(9), ntp), .receiverReferenceAnswer(answer)])
  }

  @Test func rfc3611OtherBlocksAreSkipped() throws {
    let blocks: [UInt8] =
      [1, 0, 0, 1, 9, 9, 9, 9] + [5, 0, 0, 6] + [UInt8](repeating: 1, count: 24) + [99, 0, 0, 0]
      + [4, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8]
    let packet: [UInt8] = [0x80, 207, 0, UInt8(1 + blocks.count / 4), 0, 0, 0, 9] + blocks
    let parsed = try items(packet)
    #expect(parsed.count == 3)
    #expect(parsed.last == .receiverReferenceTime(reporter: SSRC(9), NTPTimestamp(rawValue: 0x0102_0304_0506_0708)))
    #expect(throws: RTCPError.shortPacket) { try items([0x80, 207, 0, 2, 0, 0, 0, 9, 5, 0, 0, 3]) }
    #expect(throws: RTCPError.shortPacket) { try items([0x80, 207, 0, 3, 0, 0, 0, 9, 5, 0, 0, 1, 0, 0, 0, 0, 7]) }
  }

  @Test func noNumbersMakeNoNack() throws {
    let none: [SequenceNumber] = []
    let packet = try bytes { try RTCPWriter.writeNack(sender: SSRC(1), media: SSRC(2), numbers: none.span, to: &$0) }
    #expect(packet.isEmpty)
  }

  @Test func rembExtremesDoNotTrap() throws {
    var packet: [UInt8] = [0x8F, 206, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0x52, 0x45, 0x4D, 0x42, 0, 0xFF, 0xFF, 0xFF]
    #expect(try items(packet) == [.receiverEstimatedMaximumBitrate(Bitrate(bitsPerSecond: .max), of: NamedSources())])
    packet.replaceSubrange(17..., with: [0xFC, 0, 0])
    #expect(try items(packet) == [.receiverEstimatedMaximumBitrate(Bitrate(bitsPerSecond: 0), of: NamedSources())])
    packet.replaceSubrange(12..<16, with: [1, 2, 3, 4])
    #expect(try items(packet).isEmpty)
  }

  @Test func unknownPacketsAreSkippedByLength() throws {
    let unknown: [UInt8] =
      [0x80, 204, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8] + [0x8E, 205, 0, 3] + [UInt8](repeating: 9, count: 12)
    let packet =
      try unknown + bytes { try RTCPWriter.writePictureLossIndication(sender: SSRC(1), media: SSRC(2), to: &$0) }
    #expect(try items(packet) == [.pictureLossIndication(media: SSRC(2))])
  }

  @Test(
    arguments: [
      ([0x80], RTCPError.shortPacket), ([0x80, 200, 0, 1, 0, 0, 0, 1], .shortPacket),
      ([0x81, 201, 0, 9, 0], .shortPacket),
      ([0x81, 201, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2], .shortPacket), ([0x40, 201, 0, 1, 0, 0, 0, 1], .unsupportedVersion),
      ([0x81, 206, 0, 1, 0, 0, 0, 1], .shortPacket), ([0x81, 205, 0, 0], .shortPacket),
    ] as [([UInt8], RTCPError)])
  func refusesMalformedPackets(packet: [UInt8], expected: RTCPError) {
    #expect(throws: expected) { try items(packet) }
  }

  @Test func itemsBeforeAMalformedPacketAreYieldedOnce() throws {
    let good = try bytes { try RTCPWriter.writePictureLossIndication(sender: SSRC(1), media: SSRC(2), to: &$0) }
    let packet = good + [0x80, 200, 0, 50]
    var reader = RTCPReader()
    let first = try reader.next(in: packet.span.bytes)
    #expect(first == .pictureLossIndication(media: SSRC(2)))
    #expect(throws: RTCPError.shortPacket) { try reader.next(in: packet.span.bytes) }
    let afterwards = try reader.next(in: packet.span.bytes)
    #expect(afterwards == nil)
  }
}

@Suite struct NTPTimestampTests {
  @Test func rfc3550Format() {
    let time = NTPTimestamp(unixNanoseconds: 1_500_000_000)
    #expect(time.rawValue == (2_208_988_801 as UInt64) << 32 + 0x8000_0000)
    #expect(time.compact == UInt32(truncatingIfNeeded: (2_208_988_801 as UInt64) << 16 | 0x8000))
    #expect(NTPTimestamp(unixNanoseconds: -5) == NTPTimestamp(unixNanoseconds: 0))
  }

  @Test(arguments: [0, 1_000, 999_999_999, 1_000_000_000, -1, -1_500_000_000, 86_400_000_000_000] as [Int64])
  func differencesRoundTrip(nanoseconds: Int64) {
    let start = NTPTimestamp(unixNanoseconds: 1_800_000_000_123_456_789)
    let later = start.advanced(by: TimeSpan(nanoseconds: nanoseconds))
    #expect(abs(later.timeSpan(since: start).nanoseconds - nanoseconds) <= 1)
  }
}
