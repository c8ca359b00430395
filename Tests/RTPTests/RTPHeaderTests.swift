import MediaCore
import RTP
import Testing

@Suite struct RTPHeaderTests {
  @Test func rfc3550FixedHeaderRoundTrip() throws {
    let original = RTPHeader(
      marker: true, payloadType: 96, sequenceNumber: 0xFFFE, timestamp: 0xDEAD_BEEF, ssrc: SSRC(0x0102_0304))
    let packet = try bytes {
      try original.write(to: &$0, extensions: RTPHeaderExtensionBlock())
      try $0.write(0xAABB as UInt16)
    }
    #expect(packet == [0x80, 0xE0, 0xFF, 0xFE, 0xDE, 0xAD, 0xBE, 0xEF, 1, 2, 3, 4, 0xAA, 0xBB])
    let parsed = try header(of: packet)
    #expect(parsed.marker)
    #expect(parsed.payloadType == 96)
    #expect(parsed.sequenceNumber == original.sequenceNumber)
    #expect(parsed.timestamp == original.timestamp)
    #expect(parsed.ssrc == original.ssrc)
    #expect(parsed.payloadRange == 12..<14)
  }

  @Test func rfc3550ContributingSourcesAndPadding() throws {
    let packet: [UInt8] =
      [0xA2, 0x60, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3] + [0, 0, 0, 7, 0, 0, 0, 8] + [0xAB, 0xCD] + [0, 0, 3]
    let parsed = try header(of: packet)
    #expect(parsed.csrcCount == 2)
    #expect(parsed.csrc(at: 1, in: packet.span.bytes) == SSRC(8))
    #expect(parsed.csrc(at: 2, in: packet.span.bytes) == nil)
    #expect(parsed.payloadRange == 20..<22)
  }

  @Test(
    arguments: [
      ([], RTPHeaderError.shortHeader),
      ([0x80, 0x60, 0, 1, 0, 0, 0, 2, 0, 0, 0], .shortHeader),
      ([0x40, 0x60, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3], .unsupportedVersion),
      ([0x81, 0x60, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3], .shortHeader),
      ([0x90, 0x60, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0xBE, 0xDE, 0, 1], .shortHeader),
      ([0xA0, 0x60, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3], .invalidPadding),
      ([0xA0, 0x60, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0], .invalidPadding),
      ([0xA0, 0x60, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 2], .invalidPadding),
    ] as [([UInt8], RTPHeaderError)])
  func refusesMalformedPackets(packet: [UInt8], expected: RTPHeaderError) {
    #expect(throws: expected) { try header(of: packet) }
  }

  @Test func writesIntoTooLittleSpaceThrow() {
    let original = RTPHeader(payloadType: 96, sequenceNumber: 1, timestamp: 2, ssrc: SSRC(3))
    var storage = [UInt8](repeating: 0, count: 11)
    #expect(throws: InsufficientSpace.self) {
      var span = storage.mutableSpan
      var writer = ByteWriter(span.mutableBytes)
      try original.write(to: &writer, extensions: RTPHeaderExtensionBlock())
    }
  }
}

@Suite struct RTPHeaderExtensionTests {
  private func elements(_ packet: [UInt8]) throws -> [UInt8: [UInt8]] {
    var cursor = RTPHeaderExtensionCursor(try header(of: packet))
    var found: [UInt8: [UInt8]] = [:]
    while let element = cursor.next(in: packet.span.bytes) { found[element.id] = Array(packet[element.range]) }
    return found
  }

  private func packet(_ block: RTPHeaderExtensionBlock) throws -> [UInt8] {
    let plain = RTPHeader(payloadType: 96, sequenceNumber: 1, timestamp: 2, ssrc: SSRC(3))
    let packet = try bytes {
      try plain.write(to: &$0, extensions: block)
      try $0.write(0x55 as UInt8)
    }
    #expect(packet.count == RTPHeader.byteCount(with: block) + 1)
    #expect(try header(of: packet).payloadRange == packet.count - 1..<packet.count)
    return packet
  }

  @Test func rfc8285OneByteForm() throws {
    var block = RTPHeaderExtensionBlock()
    let isFirstSet = block.set(4, to: Array("0".utf8).span.bytes)
    #expect(isFirstSet)
    let isSecondSet = block.set(2, to: 0x112233, byteCount: 3)
    #expect(isSecondSet)
    let first = try packet(block)
    #expect(Array(first[12...23]) == [0xBE, 0xDE, 0, 2, 0x40, 0x30, 0x22, 0x11, 0x22, 0x33, 0, 0])
    let isReplaced = block.set(2, to: 0x445566, byteCount: 3)
    #expect(isReplaced)
    let second = try packet(block)
    #expect(try elements(second) == [4: [0x30], 2: [0x44, 0x55, 0x66]])
    #expect(
      try header(of: second).extensionElement(2, in: second.span.bytes).map { Array(second[$0]) } == [0x44, 0x55, 0x66])
    #expect(try header(of: second).extensionElement(9, in: second.span.bytes) == nil)
  }

  @Test func rfc8285TwoByteFormForLargeIDsAndValues() throws {
    var block = RTPHeaderExtensionBlock()
    let long = (0..<20).map { UInt8($0) }
    let isWideSet = block.set(200, to: 0x0102, byteCount: 2)
    #expect(isWideSet)
    let isLongSet = block.set(4, to: long.span.bytes)
    #expect(isLongSet)
    #expect(try elements(packet(block)) == [200: [1, 2], 4: long])
  }

  @Test func aBlockRefusesWhatDoesNotFit() {
    var block = RTPHeaderExtensionBlock()
    let isZeroSet = block.set(0, to: 1, byteCount: 1)
    #expect(!isZeroSet)
    let isSet = block.set(1, to: 1, byteCount: 1)
    #expect(isSet)
    let isResized = block.set(1, to: 1, byteCount: 2)
    #expect(!isResized)
    let isTooLong = block.set(2, to: [UInt8](repeating: 0, count: 95).span.bytes)
    #expect(!isTooLong)
    #expect(block.byteCount == 8)
  }

  @Test func rfc8285PaddingAndReservedIDs() throws {
    let fixed: [UInt8] = [0x90, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3]
    let padded: [UInt8] = fixed + [0xBE, 0xDE, 0, 2] + [0, 0x10, 0xAA, 0, 0x20, 0xBB, 0, 0]
    #expect(try elements(padded) == [1: [0xAA], 2: [0xBB]])
    let reserved: [UInt8] = fixed + [0xBE, 0xDE, 0, 1] + [0x10, 0xAA, 0xF0, 0x20]
    #expect(try elements(reserved) == [1: [0xAA]])
    let overlong: [UInt8] = fixed + [0xBE, 0xDE, 0, 1] + [0x10, 0xAA, 0x2F, 0x20]
    #expect(try elements(overlong) == [1: [0xAA]])
    let twoByteCut: [UInt8] = fixed + [0x10, 0x00, 0, 1] + [0x01, 0x01, 0xAA, 0x02]
    #expect(try elements(twoByteCut) == [1: [0xAA]])
    let unknownProfile: [UInt8] = fixed + [0x12, 0x34, 0, 1] + [0x10, 0xAA, 0, 0]
    #expect(try elements(unknownProfile).isEmpty)
  }
}

@Suite struct SequenceNumberTests {
  @Test func arithmeticWraps() {
    #expect(SequenceNumber(0xFFFF).advanced(by: 2) == 1)
    #expect(SequenceNumber(0xFFFF).distance(to: 1) == 2)
    #expect(SequenceNumber(1).distance(to: 0xFFFF) == -2)
    #expect(SequenceNumber(0).isNewer(than: 0xFFFF))
    #expect(!SequenceNumber(5).isNewer(than: 5))
  }

  @Test func unwrappingFollowsBothWays() {
    var unwrapper = SequenceUnwrapper()
    #expect(unwrapper.unwrap(0xFFFF) == 0x1_FFFF)
    #expect(unwrapper.unwrap(1) == 0x2_0001)
    #expect(unwrapper.unwrap(0xFFFE) == 0x1_FFFE)
    #expect(unwrapper.highest == 0x2_0001)
    #expect(unwrapper.peek(2) == 0x2_0002)
    #expect(SequenceNumber(extended: 0x2_0001) == 1)
  }
}

@Suite struct DatagramKindTests {
  @Test(
    arguments: [
      ([], DatagramKind.unknown), ([0, 1], .stun), ([3], .stun), ([16], .unknown), ([20, 0xFE], .dtls), ([63], .dtls),
      ([64], .turnChannel), ([79], .turnChannel), ([80], .unknown), ([127], .unknown), ([128], .unknown),
      ([128, 96], .rtp), ([144, 224], .rtp), ([128, 191], .rtp), ([128, 192], .rtcp), ([129, 200], .rtcp),
      ([143, 206], .rtcp), ([128, 223], .rtcp), ([192, 200], .unknown),
    ] as [([UInt8], DatagramKind)])
  func rfc7983FirstByteAndRFC5761SecondByte(datagram: [UInt8], expected: DatagramKind) {
    #expect(DatagramKind(datagram.span.bytes) == expected)
  }
}
