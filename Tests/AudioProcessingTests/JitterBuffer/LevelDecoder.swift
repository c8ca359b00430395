import AudioProcessing
import MediaCore

/// Decodes packets of two bytes, a level in hundreds and a length in units of 2.5 ms, into that level, negative in the
/// second channel; keeps it while it conceals.
struct LevelDecoder: JitterBufferDecoder {
  var channels = 1
  /// What decoding returns whatever it is given.
  var result: Int?
  private(set) var decoded: [UInt8] = []
  private(set) var concealed = 0
  private var level: Int16 = 0
  private var length = 960

  mutating func decodePacket(_ packet: RawSpan, into output: inout MutableSpan<Int16>) -> Int {
    if let result { return result }
    var reader = ByteReader(packet)
    guard let number = try? reader.readUInt8(), let units = try? reader.readUInt8() else { return 0 }
    decoded.append(number)
    level = Int16(number) * 100
    length = 120 * Int(units)
    return write(length, &output)
  }

  mutating func decodeFEC(of packet: RawSpan, samplesPerChannel: Int, into output: inout MutableSpan<Int16>) -> Int {
    precondition(samplesPerChannel % 480 == 0)
    return write(samplesPerChannel, &output)
  }

  mutating func concealLoss(samplesPerChannel: Int, into output: inout MutableSpan<Int16>) -> Int {
    precondition(samplesPerChannel % (length % 480 == 0 ? 480 : 120) == 0)
    concealed += samplesPerChannel
    return write(samplesPerChannel, &output)
  }

  private func write(_ samples: Int, _ output: inout MutableSpan<Int16>) -> Int {
    for index in 0..<samples * channels { output[index] = index % channels == 0 ? level : -level }
    return samples
  }
}

/// A call in virtual time in which each packet is made by hand.
struct Line: ~Copyable {
  var buffer: JitterBuffer
  var decoder = LevelDecoder()
  var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  var timestamp: UInt32 = 0
  var sequence: UInt16 = 0
  private(set) var samples: [Int16] = []
  private let channels: Int

  init(_ settings: JitterBufferSettings = JitterBufferSettings()) {
    buffer = JitterBuffer(settings)
    channels = settings.channels
    decoder.channels = settings.channels
  }

  /// Inserts the next packet, 20 ms long unless told otherwise.
  mutating func send(level: UInt8 = 10, length: UInt8 = 8) {
    insert(timestamp, sequence, [level, length])
    timestamp &+= 120 * UInt32(length)
    sequence &+= 1
  }

  mutating func insert(_ timestamp: UInt32, _ sequence: UInt16?, _ payload: [UInt8]) {
    buffer.insert(timestamp: timestamp, sequence: sequence, arrival: now, payload: payload.span.bytes)
  }

  mutating func render(blocks: Int = 1) {
    for _ in 0..<blocks {
      var block = [Int16](repeating: 99, count: JitterBuffer.blockSamples * channels)
      var output = block.mutableSpan
      buffer.render(into: &output, now: now, decoder: &decoder)
      samples += block
      now = now + .milliseconds(10)
    }
  }

  /// Sends and renders in step.
  mutating func run(packets: Int, level: UInt8 = 10) {
    for _ in 0..<packets {
      send(level: level)
      render(blocks: 2)
    }
  }

  /// A packet that is lost.
  mutating func lose() {
    timestamp &+= 960
    sequence &+= 1
  }

  mutating func forgetSamples() { samples = [] }
}
