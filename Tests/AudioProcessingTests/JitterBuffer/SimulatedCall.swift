import AudioProcessing
import MediaCore
import MediaCodecs
import TestSupport

/// libopus behind the buffer's protocol.
struct TestDecoder: JitterBufferDecoder, ~Copyable {
  private var decoder = try! OpusDecoder(channels: .mono)

  mutating func decodePacket(_ packet: RawSpan, into output: inout MutableSpan<Int16>) -> Int {
    (try? decoder.decode(packet, into: &output)) ?? 0
  }

  mutating func decodeFEC(of packet: RawSpan, samplesPerChannel: Int, into output: inout MutableSpan<Int16>) -> Int {
    (try? decoder.recoverPrevious(of: packet, samplesPerChannel: samplesPerChannel, into: &output)) ?? 0
  }

  mutating func concealLoss(samplesPerChannel: Int, into output: inout MutableSpan<Int16>) -> Int {
    (try? decoder.conceal(samplesPerChannel: samplesPerChannel, into: &output)) ?? 0
  }
}

/// A packet on its way.
struct SentPacket {
  var number: Int
  var timestamp: UInt32
  var arrival: MonotonicInstant
}

/// How the network treats packets of 20 ms; seeded.
enum Network: CaseIterable {
  case constant, even20, gamma, paretoBursts, loss2, loss10, lossBursts, delaySteps, stall

  func trace(packets: Int, partsPerMillion: Double = 0, seed: UInt64 = 1) -> [SentPacket] {
    var random = SeededGenerator(seed: seed)
    var burst = 0.0
    var lost = 0
    var trace: [SentPacket] = []
    for number in 0..<packets {
      burst = max(0, burst - 20)
      if self == .paretoBursts, Double.random(in: 0..<1, using: &random) < 0.01 {
        burst = min(250, 15 / Double.random(in: 0.001..<1, using: &random))
      }
      if self == .lossBursts, Double.random(in: 0..<1, using: &random) < 0.005 { lost = 5 }
      let chance = self == .loss2 ? 0.02 : self == .loss10 ? 0.1 : 0
      let isLost = lost > 0 || Double.random(in: 0..<1, using: &random) < chance
      lost = max(0, lost - 1)
      guard !isLost else { continue }
      let sent = Double(number) * 20 * (1 - partsPerMillion / 1e6)
      let delay = 30 + burst + jitter(number, &random)
      trace.append(
        SentPacket(
          number: number, timestamp: UInt32(truncatingIfNeeded: 4_294_000_000 + number * 960),
          arrival: MonotonicInstant(nanoseconds: Int64(saturating: (sent + delay) * 1e6))))
    }
    return trace.sorted { $0.arrival < $1.arrival }
  }

  private func jitter(_ number: Int, _ random: inout SeededGenerator) -> Double {
    switch self {
    // The sum of three exponential delays: shape 3, mean 15 ms.
    case .gamma: (0..<3).reduce(0) { sum, _ in sum - 5 * Self.logarithm(.random(in: 0.0001..<1, using: &random)) }
    case .delaySteps: number / 500 % 2 == 1 ? 80 : 0
    case .constant: 0
    case .even20: .random(in: 0..<20, using: &random)
    // Each ten seconds nothing comes for 300 ms, and then all of it.
    case .stall: number % 500 >= 485 ? Double(499 - number % 500) * 20 : 0
    default: .random(in: 0..<4, using: &random)
    }
  }

  /// Without Foundation: halving and doubling, then the series of artanh.
  private static func logarithm(_ value: Double) -> Double {
    let fraction = (value.significand - 1) / (value.significand + 1)
    let square = fraction * fraction
    let series = 2 * fraction * (1 + square * (1 / 3 + square * (1 / 5 + square * (1 / 7 + square / 9))))
    return series + Double(value.exponent) * 0.693147180559945
  }
}

/// Ten seconds of sound in packets of 20 ms, which repeat.
struct Recording {
  let packets: [[UInt8]]

  /// Voiced sound with a gliding pitch and pauses.
  static let speech = Recording.voice(.kilobits(48))

  static func voice(_ bitrate: Bitrate) -> Recording {
    var phase = 0.0
    return Recording(bitrate) { time in
      phase = (phase + (140 + 30 * triangle(time / 1.7)) / 48_000).truncatingRemainder(dividingBy: 1)
      let loudness = max(0, triangle(time / 0.9) + 0.6) * 4_000
      return loudness * (triangle(phase) + 0.4 * triangle(3 * phase) + 0.2 * triangle(7 * phase))
    }
  }

  /// A near-sine of constant pitch; the encoder takes it for music and transforms it.
  static func tone(_ frequency: Double) -> Recording {
    Recording(.kilobits(64), .audio) { time in
      let part = triangle(time * frequency)
      return 8_000 * part * (1.5 - 0.5 * part * part)
    }
  }

  init(_ bitrate: Bitrate, _ application: OpusEncoderSettings.Application = .voice, _ sample: (Double) -> Double) {
    let settings = OpusEncoderSettings(bitrate: bitrate, application: application, expectedLoss: 10)
    var encoder = try! OpusEncoder(settings)
    packets = (0..<500).map { packet in
      let samples = (0..<960).map { Int16(saturating: sample(Double(packet * 960 + $0) / 48_000)) }
      var payload: [UInt8] = []
      try! encoder.encode(samples.span) { bytes in payload = bytes.withUnsafeBytes { Array($0) } }
      return payload
    }
  }

  private static func triangle(_ value: Double) -> Double {
    let part = value - value.rounded(.down)
    return part < 0.5 ? 4 * part - 1 : 3 - 4 * part
  }

  subscript(number: Int) -> [UInt8] { packets[number % packets.count] }

  /// What a decoder makes of a trace without a jitter buffer, concealing what is lost in blocks of 10 ms.
  func decoded(_ trace: [SentPacket]) -> [Int16] {
    var decoder = TestDecoder()
    var samples: [Int16] = []
    var block = [Int16](repeating: 0, count: 960)
    var next = 0
    for sent in trace.sorted(by: { $0.number < $1.number }) {
      for _ in 0..<2 * (sent.number - next) {
        var output = block.mutableSpan
        let made = decoder.concealLoss(samplesPerChannel: 480, into: &output)
        samples += block.prefix(made)
      }
      var output = block.mutableSpan
      let made = decoder.decodePacket(self[sent.number].span.bytes, into: &output)
      samples += block.prefix(made)
      next = sent.number + 1
    }
    return samples
  }
}

/// What a listener got.
struct Heard {
  var statistics = JitterBufferStatistics()
  /// Milliseconds a block, once playing.
  var delays: [Double] = []
  var samples: [Int16] = []
  var blocks = 0

  func delay(quantile: Double) -> Double {
    let sorted = delays.sorted()
    return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(saturating: quantile * Double(sorted.count)))]
  }

  var concealedShare: Double { Double(statistics.concealedSamples) / Double(max(1, blocks * 480)) }

  /// Samples where the second difference is larger than `limit`, which decoded sound never reaches; 10 ms apart.
  func clicks(above limit: Int) -> Int {
    var count = 0
    var last = -480
    var index = 2
    while index < samples.count {
      if index - last >= 480, bend(index) > limit {
        count += 1
        last = index
      }
      index += 1
    }
    return count
  }

  var sharpestBend: Int {
    var sharpest = 0
    var index = 2
    while index < samples.count {
      sharpest = max(sharpest, bend(index))
      index += 1
    }
    return sharpest
  }

  private func bend(_ index: Int) -> Int {
    abs(Int(samples[index]) - 2 * Int(samples[index - 1]) + Int(samples[index - 2]))
  }
}

/// Plays a trace in virtual time.
func play(_ trace: [SentPacket], of recording: Recording = .speech, keepsSamples: Bool = true) -> Heard {
  var buffer = JitterBuffer()
  var decoder = TestDecoder()
  var heard = Heard()
  var block = [Int16](repeating: 0, count: 480)
  var next = 0
  var now = MonotonicInstant(nanoseconds: 0)
  let end = trace.last?.arrival ?? now
  while now < end {
    while next < trace.count, trace[next].arrival <= now {
      let packet = trace[next]
      let payload = recording[packet.number]
      buffer.insert(
        timestamp: packet.timestamp, sequence: UInt16(truncatingIfNeeded: packet.number), arrival: packet.arrival,
        payload: payload.span.bytes)
      next += 1
    }
    var output = block.mutableSpan
    buffer.render(into: &output, now: now, decoder: &decoder)
    heard.blocks += 1
    heard.statistics = buffer.statistics
    if heard.statistics.decodedPackets > 0 {
      heard.delays.append(heard.statistics.currentDelay.seconds * 1_000)
      if keepsSamples { heard.samples += block }
    }
    now = now + .milliseconds(10)
  }
  return heard
}
