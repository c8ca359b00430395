import MediaCore
import Testing

@testable import MediaFiles

/// Reads a file's header as its user does.
func header(of file: [UInt8]) throws(WAVError) -> WAVHeader {
  var reader = WAVHeaderReader(fileByteCount: UInt64(file.count))
  var step = reader.start
  while true {
    switch step {
    case .finished(let header): return header
    case .read(let offset, let count):
      let begin = Int(min(offset, UInt64(file.count)))
      let bytes = Array(file[begin..<min(begin + count, file.count)])
      step = try reader.read(bytes.span.bytes)
    }
  }
}

private func failure(_ file: [UInt8]) -> WAVError? {
  do throws(WAVError) { _ = try header(of: file) } catch { return error }
  return nil
}

@Suite struct WAVHeaderTests {
  @Test(arguments: [
    (UInt16(1), UInt16(16), PCMFormat.signed16), (1, 24, .signed24), (1, 32, .signed32), (3, 32, .float32),
  ])
  func readsEveryEncoding(tag: UInt16, bits: UInt16, format: PCMFormat) throws {
    for isExtensible in [false, true] {
      let builder = WAVBuilder(tag: tag, channels: 2, rate: 44_100, bits: bits, isExtensible: isExtensible)
      let found = try header(of: builder.bytes)
      let offset = UInt64(builder.bytes.count - 64)
      let frames = UInt64(64 / (2 * format.byteCount))
      #expect(
        found
          == WAVHeader(format: format, channels: 2, sampleRate: 44_100, dataOffset: offset, frameCount: frames))
    }
  }

  @Test func walksOverOtherChunksOddOnesIncluded() throws {
    let file = WAVBuilder(others: [("LIST", [1, 2, 3]), ("fact", [1, 2, 3, 4]), ("odd ", [9])]).bytes
    let found = try header(of: file)
    #expect(found.dataOffset == UInt64(file.count - 64))
    #expect(found.frameCount == 32)
  }

  @Test(arguments: [UInt32(0), .max, 1_000_000, 65])
  func takesAnOpenEndToTheEndOfTheFile(told: UInt32) throws {
    #expect(try header(of: WAVBuilder(toldDataSize: told).bytes).frameCount == 32)
  }

  @Test func ignoresWhatFollowsTheSound() throws {
    #expect(try header(of: WAVBuilder(toldDataSize: 10).bytes).frameCount == 5)
  }

  @Test func refusesWithTheField() {
    #expect(failure([]) == .notWAVE)
    #expect(failure(Array("RIFF....AVI ".utf8)) == .notWAVE)
    #expect(failure(WAVBuilder(container: "RF64").bytes) == .unsupportedContainer("RF64"))
    #expect(failure(WAVBuilder(container: "RIFX").bytes) == .unsupportedContainer("RIFX"))
    #expect(failure(WAVBuilder(hasFormat: false).bytes) == .noFormatChunk)
    #expect(failure(Array(WAVBuilder().bytes.prefix(36))) == .noDataChunk)
    #expect(failure(Array(WAVBuilder().bytes.prefix(30))) == .truncated("fmt "))
    #expect(failure(WAVBuilder(tag: 6).bytes) == .unsupportedEncoding(tag: 6))
    #expect(failure(WAVBuilder(bits: 8).bytes) == .unsupportedSampleSize(bits: 8, isFloat: false))
    #expect(failure(WAVBuilder(tag: 3, bits: 64).bytes) == .unsupportedSampleSize(bits: 64, isFloat: true))
    #expect(failure(WAVBuilder(channels: 9).bytes) == .unsupportedChannels(9))
    #expect(failure(WAVBuilder(channels: 0).bytes) == .unsupportedChannels(0))
    #expect(failure(WAVBuilder(rate: 7_999).bytes) == .unsupportedRate(7_999))
    #expect(failure(WAVBuilder(blockAlign: 3).bytes) == .wrongFrameSize(declared: 3, expected: 2))
    #expect(failure(WAVBuilder(data: []).bytes) == .noSamples)
    #expect(failure(WAVBuilder(others: Array(repeating: ("JUNK", []), count: 300)).bytes) == .tooManyChunks)
  }

  @Test func saysWhatIsWrong() {
    #expect("\(WAVError.unsupportedContainer("RF64"))" == "RF64 is not supported: convert it to plain RIFF/WAVE")
    #expect("\(WAVError.unsupportedChannels(9))" == "9 channels: 1 to 8 are supported")
  }
}
