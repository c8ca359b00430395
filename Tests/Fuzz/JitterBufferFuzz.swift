import AudioProcessing
import MediaCore

/// The first octet chooses the channels and delays, the others what happens to a call. Whatever that was, an even stream
/// after it is played.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1, size < 400 else { return 0 }
  var call = FuzzedCall(data[0], Array(UnsafeBufferPointer(start: data + 1, count: size - 1)))
  while call.step() {}
  call.recover()
  return 0
}

/// Writes as many samples as a packet's first octet says, or returns what failing decoders might; checks what it is asked.
struct FuzzedDecoder: JitterBufferDecoder {
  var channels: Int
  var decoded = 0
  private var length = 960

  init(channels: Int) { self.channels = channels }

  mutating func decodePacket(_ packet: RawSpan, into output: inout MutableSpan<Int16>) -> Int {
    var reader = ByteReader(packet)
    guard let first = try? reader.readUInt8(), first < 0xF8 else { return [0, -4, .min, .max][packet.byteCount % 4] }
    decoded += 1
    length = 120 * (1 + Int(first) % 48)
    return write(length, Int16(first) * 130, &output)
  }

  mutating func decodeFEC(of packet: RawSpan, samplesPerChannel: Int, into output: inout MutableSpan<Int16>) -> Int {
    write(samplesPerChannel, -32_768, &output)
  }

  mutating func concealLoss(samplesPerChannel: Int, into output: inout MutableSpan<Int16>) -> Int {
    precondition(samplesPerChannel % (length % 480 == 0 ? 480 : 120) == 0)
    return write(samplesPerChannel, 32_767, &output)
  }

  private func write(_ samples: Int, _ level: Int16, _ output: inout MutableSpan<Int16>) -> Int {
    precondition(samples > 0 && samples <= 5_760)
    for index in 0..<samples * channels { output[index] = level }
    return samples
  }
}

struct FuzzedCall: ~Copyable {
  private var buffer: JitterBuffer
  private var decoder: FuzzedDecoder
  private var input: ArraySlice<UInt8>
  private var now = MonotonicInstant(nanoseconds: 5_000_000_000)
  private var timestamp: UInt32 = 0
  private var sequence: UInt16 = 0

  init(_ kind: UInt8, _ input: [UInt8]) {
    let channels = 1 + Int(kind & 1)
    buffer = JitterBuffer(
      JitterBufferSettings(
        channels: channels, leastDelay: .milliseconds(Int64(kind >> 1 & 7) * 20),
        maxDelay: .milliseconds(Int64(kind >> 4) * 40)))
    decoder = FuzzedDecoder(channels: channels)
    self.input = input[...]
  }

  private mutating func next() -> UInt8 { input.popFirst() ?? 0 }

  private mutating func number(octets: Int) -> UInt64 {
    var number: UInt64 = 0
    for _ in 0..<octets { number = number << 8 | UInt64(next()) }
    return number
  }

  /// Returns false at the end of the input.
  mutating func step() -> Bool {
    guard let action = input.popFirst() else { return false }
    switch action & 7 {
    case 0, 1: send(next(), count: 1 + Int(action >> 4), sequence)
    case 2: skip(UInt32(next()) * 120, packets: UInt16(action >> 3))
    case 3:
      timestamp = UInt32(truncatingIfNeeded: number(octets: 4))
      sequence = UInt16(truncatingIfNeeded: number(octets: 2))
    case 4: render(1 + Int(action >> 5) * 4)
    case 5: now = now + .milliseconds(Int64(Int8(bitPattern: next())) << Int64(action >> 4))
    case 6: send(next(), count: Int(next()) * 8, action & 8 == 0 ? nil : sequence)
    default: skip(0 &- UInt32(next()) * 480, packets: 0 &- UInt16(action >> 3))
    }
    return true
  }

  private mutating func send(_ first: UInt8, count: Int, _ number: UInt16?) {
    let payload = [UInt8](repeating: first, count: count)
    buffer.insert(timestamp: timestamp, sequence: number, arrival: now, payload: payload.span.bytes)
    skip(120 * (1 + UInt32(first) % 48), packets: 1)
  }

  private mutating func skip(_ samples: UInt32, packets: UInt16) {
    timestamp &+= samples
    sequence &+= packets
  }

  private mutating func render(_ blocks: Int) {
    var block = [Int16](repeating: 0, count: JitterBuffer.blockSamples * decoder.channels)
    var output = block.mutableSpan
    for _ in 0..<blocks {
      buffer.render(into: &output, now: now, decoder: &decoder)
      now = now + .milliseconds(10)
    }
  }

  /// Four seconds of packets of 20 ms, of which the last are played but for what stretching adds.
  mutating func recover() {
    for packet in 0..<200 {
      send(7, count: 2, sequence)
      render(2)
      if packet == 149 { decoder.decoded = 0 }
    }
    precondition(decoder.decoded > 35, "does not play again")
    let statistics = buffer.statistics
    precondition(statistics.targetDelay <= .milliseconds(600) && statistics.currentDelay < .seconds(1))
    precondition(statistics.concealedSamples >= 0 && statistics.silenceSamples >= 0)
  }
}
