import Glibc
import MediaCore
import MediaCodecs
import RealtimeRuntime

/// Measures turning packets of a tone into published frames.
struct AudioStageBench: ~Copyable {
  private(set) var encodingTime = 0.0
  private(set) var bytes = 0

  private var encoder: OpusEncoder
  private let samples: [Int16]
  private let bus = FrameBus()
  private let inbox: FrameInbox

  init(_ encoder: consuming OpusEncoder, _ inbox: FrameInbox) {
    self.encoder = encoder
    self.inbox = inbox
    samples = (0..<OpusEncoder.samplesPerPacket).map { index in
      Int16((8_191.75 * sin(2 * Double.pi * Double(index % 48) / 48)).rounded())
    }
    bus.attach(inbox)
  }

  mutating func step(_ index: Int) throws {
    let timestamp = MonotonicInstant(nanoseconds: Int64(index) * 20_000_000)
    let start = cpuTime(CLOCK_THREAD_CPUTIME_ID)
    bytes += try Self.encode(samples, with: &encoder, number: UInt32(index), at: timestamp, to: bus)
    encodingTime += cpuTime(CLOCK_THREAD_CPUTIME_ID) - start
    while inbox.audio.popFirst({ _, _ in }) != nil {}
  }

  private static func encode(
    _ samples: borrowing [Int16], with encoder: inout OpusEncoder, number: UInt32, at timestamp: MonotonicInstant,
    to bus: FrameBus
  ) throws -> Int {
    var count = 0
    try encoder.encode(samples.span) { payload in
      let header = EncodedFrameHeader(
        kind: .audio, timestamp: timestamp, duration: .milliseconds(20), isKeyFrame: true, number: number)
      bus.publish(header, payload: payload)
      count += payload.byteCount
    }
    return count
  }
}
