import Glibc
import MediaCore
import RealtimeRuntime

/// Frames of the sizes that 800 kbit/s of VP8 at 30 fps and 32 kbit/s of Opus have; their content is no media.
struct TestFrames {
  static let frameSpan = TimeSpan(nanoseconds: 33_333_333)
  static let packetSpan = TimeSpan.milliseconds(20)
  /// A key frame every 4 s.
  static let group = 120

  private let key = [UInt8](repeating: 0x5A, count: 30_000)
  private let picture = [UInt8](repeating: 0xA5, count: 3_100)
  private let packet = [UInt8](repeating: 0x3C, count: 80)

  func picture(_ number: Int, from start: MonotonicInstant) -> (EncodedFrameHeader, [UInt8]) {
    let isKeyFrame = number % Self.group == 0
    let header = EncodedFrameHeader(
      kind: .video, timestamp: start + Self.frameSpan * Int64(number), duration: Self.frameSpan,
      isKeyFrame: isKeyFrame, number: UInt32(number), width: 640, height: 480)
    return (header, isKeyFrame ? key : picture)
  }

  func packet(_ number: Int, from start: MonotonicInstant) -> (EncodedFrameHeader, [UInt8]) {
    let header = EncodedFrameHeader(
      kind: .audio, timestamp: start + Self.packetSpan * Int64(number), duration: Self.packetSpan, isKeyFrame: true,
      number: UInt32(number))
    return (header, packet)
  }

  /// All frames of a stretch of media, in the order of their times.
  func forEach(seconds: Int, from start: MonotonicInstant, _ body: (EncodedFrameHeader, [UInt8]) -> Void) {
    var packets = 0
    for number in 0..<seconds * 30 {
      let (header, payload) = picture(number, from: start)
      while packets < seconds * 50, packet(packets, from: start).0.timestamp <= header.timestamp {
        let sound = packet(packets, from: start)
        body(sound.0, sound.1)
        packets += 1
      }
      body(header, payload)
    }
  }
}

/// How long something takes.
func milliseconds(_ body: () throws -> Void) rethrows -> Double {
  let start = MonotonicClock.now()
  try body()
  return (MonotonicClock.now() - start).seconds * 1000
}

/// How much of a processor something takes, whatever else runs on the machine.
func processorMilliseconds(_ body: () -> Void) -> Double {
  let start = processorTime()
  body()
  return processorTime() - start
}

private func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
}
