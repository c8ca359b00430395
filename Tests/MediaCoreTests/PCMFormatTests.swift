import MediaCore
import Testing

private func decode(
  _ bytes: [UInt8], _ format: PCMFormat, from inputChannels: Int = 1, to outputChannels: Int = 1
) -> [Int16] {
  var output = [Int16](repeating: 99, count: 16)
  var span = output.mutableSpan
  let frames = format.decode(bytes.span.bytes, channels: inputChannels, into: &span, channels: outputChannels)
  return Array(output[..<(frames * outputChannels)])
}

private func encode(
  _ samples: [Int16], _ format: PCMFormat, from inputChannels: Int = 1, to outputChannels: Int = 1
) -> [UInt8] {
  var output = [UInt8](repeating: 99, count: 256)
  var span = output.mutableSpan
  var bytes = span.mutableBytes
  let frames = format.encode(samples.span, channels: inputChannels, into: &bytes, channels: outputChannels)
  return Array(output[..<(frames * outputChannels * format.byteCount)])
}

@Suite struct PCMFormatTests {
  @Test(arguments: PCMFormat.allCases)
  func keepsSixteenBits(format: PCMFormat) {
    let samples: [Int16] = [0, 1, -1, 1_000, .max, .min]
    #expect(decode(encode(samples, format), format) == samples)
  }

  @Test func readsLittleEndianValues() {
    #expect(decode([0x34, 0x12], .signed16) == [0x1234])
    #expect(decode([0xFF, 0x34, 0x12], .signed24) == [0x1234])
    #expect(decode([0xFF, 0x34, 0x12, 0x77], .signed24In32) == [0x1234])
    #expect(decode([0xFF, 0xFF, 0x34, 0x12], .signed32) == [0x1234])
  }

  @Test func clipsFloats() {
    let values: [Float] = [0.5, -1, 2, -2, .nan, .infinity]
    let bytes = values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) } }
    #expect(decode(bytes, .float32) == [16_384, .min, .max, .min, 0, 0])
  }

  @Test func mixesChannels() {
    let stereo = encode([100, 300, -100, -300], .signed16, from: 2, to: 2)
    #expect(decode(stereo, .signed16, from: 2, to: 1) == [200, -200])
    #expect(decode(stereo, .signed16, from: 2, to: 2) == [100, 300, -100, -300])
    #expect(decode(stereo, .signed16, from: 1, to: 2) == [100, 100, 300, 300, -100, -100, -300, -300])
    let quad = encode([100, 300], .signed24, from: 2, to: 4)
    #expect(decode(quad, .signed24, from: 1, to: 1) == [100, 300, 0, 0])
    #expect(decode(quad, .signed24, from: 4, to: 1) == [200])
    #expect(decode(encode([100, 300], .signed16, from: 2, to: 1), .signed16) == [200])
    #expect(decode(encode([5], .signed16, from: 1, to: 2), .signed16) == [5, 5])
  }

  @Test func stopsWhereInputOrRoomEnds() {
    #expect(decode([1, 0, 2], .signed16) == [1])
    #expect(decode([UInt8](repeating: 0, count: 100), .signed16).count == 16)
    #expect(encode([Int16](repeating: 1, count: 200), .signed32).count == 256)
  }
}
