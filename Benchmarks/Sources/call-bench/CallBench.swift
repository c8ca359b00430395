import AudioProcessing
import Glibc
import MediaCore
import MediaCodecs
import RealtimeRuntime
import SystemSupport

/// What the libraries of a two-way call take alone, at the pace of a camera and a microphone: VP8 and Opus encoding, Opus
/// decoding and echo cancellation, on the same media and with the same settings as the daemon in the call.
///
///     call-bench PICTURES SPEECH FAR DELAY GAIN SECONDS
///
/// PICTURES is a Y4M file, or `-` for a call without pictures; SPEECH (near the device) and FAR (the caller's) are samples of
/// 16 bits at 48 kHz, mono. What is captured is SPEECH and, DELAY samples later and GAIN thousandths of it, what was decoded.
/// All files begin anew at their end. Prints CPU seconds within the calls of each library, and of the whole process.
@main
struct CallBench {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst().map { $0 }
    guard arguments.count == 6, let delay = Int(arguments[3]), let gain = Int(arguments[4]),
      let seconds = Int(arguments[5]), seconds > 0
    else {
      print("usage: call-bench PICTURES SPEECH FAR DELAY GAIN SECONDS")
      exit(64)
    }
    let room = Room(speech: try samples(arguments[1]), delay: delay, gain: gain)
    let far = try packets(of: try samples(arguments[2]))
    let pictures = arguments[0] == "-" ? nil : try FrameReader(path: arguments[0])
    let before = cpuTime(CLOCK_PROCESS_CPUTIME_ID)
    let begin = MonotonicClock.now()
    let results = Results()
    let threads = [
      try MediaThread(name: "sound") {
        results.run { try SoundJob.run(room, far, from: begin, seconds: seconds) }
      },
      try pictures.map { reader in
        try MediaThread(name: "pictures") {
          results.run { try FrameJob.run(reader, from: begin, seconds: seconds) }
        }
      },
    ]
    for thread in threads { thread?.join() }
    results.print(total: cpuTime(CLOCK_PROCESS_CPUTIME_ID) - before)
  }

  /// What a caller sends: encoded before anything is measured.
  private static func packets(of samples: [Int16]) throws -> [[UInt8]] {
    var encoder = try OpusEncoder(OpusEncoderSettings())
    var packets: [[UInt8]] = []
    for start in stride(from: 0, to: samples.count - SoundJob.packet + 1, by: SoundJob.packet) {
      try encoder.encode(samples.span.extracting(start..<start + SoundJob.packet)) { payload in
        packets.append(payload.withUnsafeBytes { Array($0) })
      }
    }
    return packets
  }

  private static func samples(_ path: String) throws -> [Int16] {
    guard let file = fopen(path, "rb") else { throw BenchError.unreadable(path) }
    defer { fclose(file) }
    var samples: [Int16] = []
    var buffer = [Int16](repeating: 0, count: 1 << 16)
    while case let count = fread(&buffer, 2, buffer.count, file), count > 0 { samples += buffer[..<count] }
    guard samples.count >= SoundJob.packet else { throw BenchError.unreadable(path) }
    return samples
  }
}

enum BenchError: Error {
  case unreadable(String)
}

/// Seconds that a CPU clock shows.
func cpuTime(_ clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Adds up this thread's CPU time between starts and stops.
struct Stopwatch {
  private(set) var seconds = 0.0
  private var begin = 0.0

  mutating func start() { begin = cpuTime(CLOCK_THREAD_CPUTIME_ID) }
  mutating func stop() { seconds += cpuTime(CLOCK_THREAD_CPUTIME_ID) - begin }
}
