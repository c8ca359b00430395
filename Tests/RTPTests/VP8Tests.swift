import MediaCore
import RTP
import Testing

@Suite struct VP8PayloadDescriptorTests {
  @Test(
    arguments: [
      ([0x10, 0xFF], VP8PayloadDescriptor(startsPartition: true)),
      ([0x23, 0xFF], VP8PayloadDescriptor(isNonReference: true, startsPartition: false, partitionIndex: 3)),
      (
        [0x90, 0x80, 0x11, 0xFF], VP8PayloadDescriptor(startsPartition: true, pictureID: 0x11, hasShortPictureID: true)
      ),
      ([0x90, 0x80, 0x92, 0x34, 0xFF], VP8PayloadDescriptor(startsPartition: true, pictureID: 0x1234)),
      ([0x90, 0x40, 0x77, 0xFF], VP8PayloadDescriptor(startsPartition: true, tl0PictureIndex: 0x77)),
      ([0x90, 0x10, 0x1F, 0xFF], VP8PayloadDescriptor(startsPartition: true, keyIndex: 31)),
      (
        [0x80, 0xE0, 0xFF, 0xFF, 0x05, 0xA0, 0xFF],
        VP8PayloadDescriptor(
          startsPartition: false, pictureID: 0x7FFF, tl0PictureIndex: 5, temporalLayer: 2, isLayerSync: true)
      ),
    ] as [([UInt8], VP8PayloadDescriptor)])
  func rfc7741RoundTrip(payload: [UInt8], expected: VP8PayloadDescriptor) throws {
    let parsed = try VP8PayloadDescriptor(parsing: payload.span.bytes)
    #expect(parsed == expected)
    #expect(parsed.byteCount == payload.count - 1)
    #expect(try bytes { try parsed.write(to: &$0) } == Array(payload.dropLast()))
  }

  @Test(
    arguments: [
      [], [0x10], [0x90], [0x90, 0x80], [0x90, 0x80, 0x92], [0x90, 0x80, 0x92, 0x34], [0x90, 0xE0, 0x11, 0x22],
      [0x90, 0xE0, 0x11, 0x22, 0x33],
    ] as [[UInt8]])
  func refusesShortPayloads(payload: [UInt8]) {
    #expect(throws: VP8DescriptorError.shortPayload) { try VP8PayloadDescriptor(parsing: payload.span.bytes) }
  }
}

@Suite struct VP8FrameHeaderTests {
  @Test func rfc6386KeyFrameCarriesItsSize() {
    // Scaling bits 01 and 11 lie above the 14 bits of width and height.
    let frame: [UInt8] = [0x10, 0, 0, 0x9D, 0x01, 0x2A, 0x80, 0x42, 0xE0, 0xC1]
    let header = VP8FrameHeader(parsing: frame.span.bytes)
    #expect(header?.isKeyFrame == true)
    #expect(header?.width == 640)
    #expect(header?.height == 480)
  }

  @Test(
    arguments: [
      [], [0x10], [0x10, 0, 0], [0x10, 0, 0, 0x9D, 0x01, 0x2B, 0, 0, 0, 0], [0x10, 0, 0, 0x9D, 0x01, 0x2A, 0, 0, 0],
    ] as [[UInt8]])
  func refusesWhatIsNoFrame(frame: [UInt8]) {
    #expect(VP8FrameHeader(parsing: frame.span.bytes) == nil)
  }

  @Test func interFramesHaveNoSize() {
    let frame: [UInt8] = [0x11, 0, 0]
    let header = VP8FrameHeader(parsing: frame.span.bytes)
    #expect(header?.isKeyFrame == false)
    #expect(header?.width == 0)
  }
}

@Suite struct VP8PacketizerTests {
  private func makePacketizer(size: Int, layers: Bool = false) -> VP8Packetizer {
    VP8Packetizer(
      ssrc: SSRC(7), payloadType: 96, maximumPayloadSize: size, firstSequenceNumber: 0xFFFE, firstPictureID: 0x7FFF,
      hasTemporalLayers: layers)
  }

  @Test(arguments: [1, 3, 96, 97, 192, 193, 1_000, 12_345])
  func packetsHaveOneLengthButTheLastAndArePutTogetherAgain(byteCount: Int) throws {
    let frame = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var packetizer = makePacketizer(size: 100)
    let packets = try packetizer.packets(frame, .init(timestamp: 90_000))
    #expect(packets.count == (byteCount + 95) / 96)
    var joined: [UInt8] = []
    var sizes: [Int] = []
    for (index, packet) in packets.enumerated() {
      let header = try header(of: packet)
      let payload = Array(packet[header.payloadRange])
      let descriptor = try VP8PayloadDescriptor(parsing: payload.span.bytes)
      #expect(payload.count <= 100)
      #expect(header.marker == (index == packets.count - 1))
      #expect(header.sequenceNumber == SequenceNumber(0xFFFE).advanced(by: index))
      #expect(header.timestamp == 90_000)
      #expect(descriptor.startsFrame == (index == 0))
      #expect(descriptor.pictureID == 0x7FFF)
      joined += payload[descriptor.byteCount...]
      sizes.append(payload.count)
    }
    #expect(joined == frame)
    #expect(Set(sizes.dropLast()).count <= 1)
    #expect(try #require(sizes.last) <= #require(sizes.first))
  }

  @Test func pictureIDAndTL0PICIDXCount() throws {
    var packetizer = makePacketizer(size: 1_000, layers: true)
    var descriptors: [VP8PayloadDescriptor] = []
    for (index, layer) in [0, 2, 1, 2, 0, 2].enumerated() {
      let packets = try packetizer.packets([1, 2, 3], .init(timestamp: UInt32(index), temporalLayer: UInt8(layer)))
      let payload = Array(packets[0][12...])
      descriptors.append(try VP8PayloadDescriptor(parsing: payload.span.bytes))
    }
    #expect(descriptors.map(\.pictureID) == [0x7FFF, 0, 1, 2, 3, 4])
    #expect(descriptors.map(\.tl0PictureIndex) == [0, 0, 0, 0, 1, 1])
    #expect(descriptors.map(\.temporalLayer) == [0, 2, 1, 2, 0, 2])
  }

  @Test func headerExtensionsAreInEachPacket() throws {
    var block = RTPHeaderExtensionBlock()
    let mid = Array("1".utf8)
    block.set(4, to: mid.span.bytes)
    var packetizer = makePacketizer(size: 100)
    for packet in try packetizer.packets([UInt8](repeating: 9, count: 300), .init(timestamp: 0), extensions: block) {
      let range = try header(of: packet).extensionElement(4, in: packet.span.bytes)
      #expect(range.map { Array(packet[$0]) } == Array("1".utf8))
    }
  }

  @Test func aPacketThatDoesNotFitOrLacksItsFrameIsRefused() throws {
    let frame: [UInt8] = [1, 2, 3, 4]
    var packetizer = makePacketizer(size: 100)
    let packets = packetizer.packetize(.init(timestamp: 0), byteCount: 4)
    for (size, octets) in [(15, frame), (2_000, Array(frame.dropLast()))] {
      #expect(throws: InsufficientSpace.self) {
        try written(size) { try packets.write(0, of: octets.span.bytes, extensions: .init(), into: &$0) }
      }
    }
    let packet = try written { try packets.write(0, of: frame.span.bytes, extensions: .init(), into: &$0) }
    #expect(packet?.suffix(4) == [1, 2, 3, 4])
    #expect(packetizer.nextSequenceNumber == 0xFFFF)
  }

  @Test func packetsAreFoundByTheirNumbers() {
    var packetizer = makePacketizer(size: 100)
    let packets = packetizer.packetize(.init(timestamp: 0), byteCount: 300)
    #expect(packets.count == 4)
    let numbers = (-1...4).map { SequenceNumber(0xFFFE).advanced(by: $0) }
    #expect(numbers.map(packets.index) == [nil, 0, 1, 2, 3, nil])
    #expect((0..<4).map(packets.payloadByteCount).reduce(0, +) == packets.payloadByteCount)
  }

  @Test func anEmptyFrameMakesNoPacket() throws {
    var packetizer = makePacketizer(size: 100)
    #expect(try packetizer.packets([], .init(timestamp: 0)).isEmpty)
  }
}

@Suite struct OpusPacketizerTests {
  @Test func rfc7587OnePacketEach() throws {
    var packetizer = OpusPacketizer(ssrc: SSRC(9), payloadType: 111, firstSequenceNumber: 0xFFFF)
    let payload: [UInt8] = [0xFC, 0xFF, 0xFE]
    for (index, timestamp) in [0, 960].enumerated() {
      let packet = try #require(
        try written {
          try packetizer.packet(
            payload.span.bytes, timestamp: UInt32(timestamp), isTalkspurtStart: index == 0,
            extensions: RTPHeaderExtensionBlock(), into: &$0)
        })
      let header = try header(of: packet)
      #expect(header.sequenceNumber == SequenceNumber(0xFFFF).advanced(by: index))
      #expect(header.timestamp == UInt32(timestamp))
      #expect(header.marker == (index == 0))
      #expect(header.payloadType == 111)
      #expect(Array(packet[header.payloadRange]) == payload)
    }
  }
}
