import Foundation
import MediaCore
import MediaCodecs
import RealtimeRuntime
import Testing

@testable import MediaPipeline

/// Three parties who talk, each by a tone, and a microphone with another one: what each of them is sent.
@Suite(.serialized) struct MixMinusTests {
  private static let tones = [500, 800, 1_250]
  private static let microphone = 300

  /// Sends a party's tone at the pace of the clock.
  private static func talk(_ talker: PlayoutSource, frequency: Int, packets: Int) throws {
    var encoder = try OpusEncoder(OpusEncoderSettings())
    var tone = ToneGenerator(frequency: frequency)
    var samples = [Int16](repeating: 0, count: 960)
    let start = MonotonicClock.now()
    for index in 0..<packets {
      MonotonicClock.sleep(until: start + .milliseconds(20) * Int64(index))
      var span = samples.mutableSpan
      tone.fill(&span, channels: 1)
      try encoder.encode(samples.span) { payload in
        let arrival = SoundArrival(
          instant: MonotonicClock.now(), timestamp: UInt32(960 * index), sequenceNumber: UInt16(index))
        talker.received.push(arrival, payload: payload)
      }
    }
  }

  /// What one party's decoder makes of the packets with its mark.
  private struct Listener: ~Copyable {
    private var decoder: OpusDecoder
    private(set) var samples: [Int16] = []

    init() throws { decoder = try OpusDecoder(channels: .mono) }

    mutating func take(_ payload: RawSpan) throws {
      var packet = [Int16](repeating: 0, count: 960)
      var span = packet.mutableSpan
      _ = try decoder.decode(payload, into: &span)
      samples += packet
    }
  }

  private static func heard(_ frames: [(mix: UInt8, payload: [UInt8])], mix: UInt8) throws -> [Int16] {
    var listener = try Listener()
    for frame in frames where frame.mix == mix { try listener.take(frame.payload.span.bytes) }
    return listener.samples
  }

  /// The share of a tone in the second half, as an amplitude (Goertzel).
  private static func amplitude(_ frequency: Int, _ samples: [Int16]) -> Double {
    let part = samples.suffix(samples.count / 2)
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in part.enumerated() {
      let phase = 2 * Double.pi * Double(frequency) * Double(index) / 48_000
      real += Double(sample) * cos(phase)
      imaginary += Double(sample) * sin(phase)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(part.count)
  }

  @Test func eachHearsTheMicrophoneAndTheOthersButNotItself() throws {
    let (bus, inbox) = (FrameBus(), try FrameInbox(audioBytes: 256 * 1_024))
    bus.attach(inbox)
    let pipeline = MediaPipeline(
      configuration: MediaPipelineConfiguration(microphone: .testTone(frequency: Self.microphone)), bus: bus)
    let playout = AudioPlayout(speaker: .testNull)
    let talkers = try Self.tones.map { _ in try playout.addTalker() }
    talkers.forEach { $0.setHeardByOthers(true) }
    pipeline.setMixes(
      talkers.indices.map { own in
        MixMinus(id: UInt8(own + 1), others: talkers.filter { $0 !== talkers[own] }, inbox: inbox)
      })
    try pipeline.start([.audio])
    let threads = zip(talkers, Self.tones).map { talker, frequency in
      let thread = Thread { try? Self.talk(talker, frequency: frequency, packets: 100) }
      thread.start()
      return thread
    }
    let end = MonotonicClock.now() + .seconds(10)
    while !threads.allSatisfy(\.isFinished), MonotonicClock.now() < end {
      MonotonicClock.sleep(until: MonotonicClock.now() + .milliseconds(20))
    }
    pipeline.stop([.audio])
    playout.stop()
    #expect(pipeline.waitUntilIdle(timeout: .seconds(5)) && playout.waitUntilIdle(timeout: .seconds(5)))

    var frames: [(mix: UInt8, payload: [UInt8])] = []
    while inbox.audio.popFirst({ header, payload in
      frames.append((header.mix, payload.withUnsafeBytes { Array($0) }))
    }) != nil {}
    let device = try Self.heard(frames, mix: 0)
    #expect(Self.amplitude(Self.microphone, device) > 5_000)
    for frequency in Self.tones { #expect(Self.amplitude(frequency, device) < 200) }
    for own in Self.tones.indices {
      let samples = try Self.heard(frames, mix: UInt8(own + 1))
      #expect(Self.amplitude(Self.microphone, samples) > 3_000)
      for other in Self.tones.indices {
        let amplitude = Self.amplitude(Self.tones[other], samples)
        #expect(other == own ? amplitude < 200 : amplitude > 3_000, "\(Self.tones[other]) Hz for \(Self.tones[own]) Hz")
      }
    }
  }
}
