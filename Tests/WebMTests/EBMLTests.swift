import MediaCore
import Testing

@testable import WebM

@Suite struct EBMLTests {
  @Test func checksumOfRFC8794IsTheCommonCRC32() {
    let digits = Array("123456789".utf8)
    let letters = Array("The quick brown fox jumps over the lazy dog".utf8)
    let sums = (CRC32.checksum(digits.span.bytes), CRC32.checksum(letters.span.bytes))
    #expect(sums == (0xCBF4_3926, 0x414F_A339))
  }

  @Test(arguments: [
    (0, 1), (126, 1), (127, 2), (16_382, 2), (16_383, 3), (2_097_150, 3), (2_097_151, 4), (268_435_455, 5),
  ]) func sizesTakeTheirShortestFormAndSkipAllOnes(size: Int, width: Int) throws {
    var writer = EBMLWriter(capacity: 16)
    writer.write(.simpleBlock)
    writer.writeSize(size)
    let header = try writer.withBytes { (bytes) throws in
      var reader = ByteReader(bytes)
      return try reader.readElementHeader()
    }
    #expect(writer.count == 1 + width)
    #expect(header == ElementHeader(id: .simpleBlock, size: UInt64(size)))
  }

  @Test func unknownSizeIsNoNumber() throws {
    var writer = EBMLWriter(capacity: 16)
    writer.write(.segment)
    writer.writeUnknownSize()
    let header = try writer.withBytes { (bytes) throws in
      var reader = ByteReader(bytes)
      return try reader.readElementHeader()
    }
    #expect(header == ElementHeader(id: .segment, size: nil))
  }

  @Test(
    arguments: [
      ([], EBMLError.unexpectedEnd), ([0x1A, 0x45], .unexpectedEnd), ([0x08, 0, 0, 0, 0], .invalidID),
      ([0xA3], .unexpectedEnd), ([0xA3, 0x00], .invalidSize), ([0xA3, 0x40], .unexpectedEnd),
    ] as [([UInt8], EBMLError)]) func malformedHeadersAreRefused(bytes: [UInt8], expected: EBMLError)
  {
    #expect(throws: expected) {
      var reader = ByteReader(bytes.span.bytes)
      _ = try reader.readElementHeader()
    }
  }

  @Test(arguments: 2..<20) func voidFillsExactly(total: Int) {
    var writer = EBMLWriter(capacity: 32)
    writer.writeVoid(total: total)
    #expect(writer.count == total)
  }

  @Test func headerReadsBackWhatItWrote() {
    let headers = [
      WebMHeader(video: WebMVideoTrack(width: 640, height: 480)),
      WebMHeader(audio: WebMAudioTrack(channels: 2), creationDate: -5),
      WebMHeader(
        video: WebMVideoTrack(width: 1, height: 16_383), audio: WebMAudioTrack(channels: 1), creationDate: .max,
        completion: .init(fileByteCount: 1 << 40, durationMilliseconds: 86_400_000, hasCues: true)),
    ]
    for header in headers {
      var bytes = header.encode()
      #expect(bytes.count == 512)
      #expect(WebMHeader(parsing: bytes.span.bytes) == header)
      bytes[300] ^= 1
      #expect(WebMHeader(parsing: bytes.span.bytes) != header)
    }
  }

  @Test(
    arguments: [
      (0b0000_0000, [], 480), (0b0001_1000, [], 2_880), (0b0110_1000, [], 960), (0b1000_0000, [], 120),
      (0b1111_1000, [], 960), (0b1111_1001, [], 1_920), (0b1111_1011, [3], 2_880), (0b1111_1011, [], 0),
    ] as [(UInt8, [UInt8], Int)]) func opusPacketDurations(toc: UInt8, rest: [UInt8], samples: Int)
  {
    let packet = [toc] + rest
    #expect(OpusPacket.sampleCount(packet.span.bytes) == samples)
  }
}
