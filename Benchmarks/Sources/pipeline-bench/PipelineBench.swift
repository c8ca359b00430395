import Glibc
import MediaCore
import MediaPipeline
import MediaCodecs
import RealtimeRuntime

/// Measures the CPU time of our media path on the test picture and the test tone.
///
///     pipeline-bench stages SECONDS     conversion from YUYV, encoders and bus, as fast as they can
///     pipeline-bench realtime SECONDS   the whole MediaPipeline at its own pace, drawing included
///     pipeline-bench marks SECONDS      privacy masks and overlay beside the conversion, in percent of a core
///
/// Prints one line of `name=value` pairs; times are CPU seconds.
@main
struct PipelineBench {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let seconds = Int(arguments[2]), seconds > 0 else { usage() }
    switch arguments[1] {
    case "stages": try measureStages(seconds: seconds)
    case "realtime": try measureRealtime(seconds: seconds)
    case "marks": try measureMarks(seconds: seconds)
    default: usage()
    }
  }

  private static func usage() -> Never {
    print("usage: pipeline-bench stages|realtime|marks SECONDS")
    exit(64)
  }

  private static func measureStages(seconds: Int) throws {
    let settings = VP8EncoderSettings(width: 640, height: 480, frameRate: 30, bitrate: .kilobits(800))
    var video = VideoStageBench(try VP8Encoder(settings), try FrameInbox())
    var audio = AudioStageBench(try OpusEncoder(OpusEncoderSettings()), try FrameInbox())
    for index in 0..<seconds * 30 { try video.step(index) }
    for index in 0..<seconds * 50 { try audio.step(index) }
    print(
      "conversion=\(rounded(video.conversionTime)) video=\(rounded(video.encodingTime)) "
        + "audio=\(rounded(audio.encodingTime)) "
        + "total=\(rounded(video.conversionTime + video.encodingTime + audio.encodingTime)) "
        + "pictures=\(video.pictures) videoBytes=\(video.bytes) audioBytes=\(audio.bytes)")
  }

  private static func measureRealtime(seconds: Int) throws {
    let bus = FrameBus()
    let inbox = try FrameInbox()
    bus.attach(inbox)
    let pipeline = MediaPipeline(
      configuration: MediaPipelineConfiguration(cameras: [.testBars], microphone: .testTone(frequency: 1_000)), bus: bus
    )
    let before = processTime()
    try pipeline.start([.audio, .video])
    let end = MonotonicClock.now() + .seconds(Int64(seconds))
    while MonotonicClock.now() < end {
      _ = inbox.wake.wait(timeout: .milliseconds(100))
      while inbox.video.popFirst({ _, _ in }) != nil {}
      while inbox.audio.popFirst({ _, _ in }) != nil {}
    }
    pipeline.stop([.audio, .video])
    _ = pipeline.waitUntilIdle(timeout: .seconds(1))
    let statistics = pipeline.statistics
    print(
      "total=\(rounded(processTime() - before)) pictures=\(statistics.framesEncoded) "
        + "packets=\(statistics.packetsEncoded) videoBytes=\(statistics.videoBytes)")
  }

  private static func measureMarks(seconds: Int) throws {
    var bench = OverlayBench()
    let pictures = seconds * 30
    for index in 0..<pictures { try bench.step(index) }
    let shares = [bench.conversionTime, bench.maskTime, bench.overlayTime].map {
      rounded(OverlayBench.percent($0, pictures: pictures))
    }
    print("conversion=\(shares[0]) masks=\(shares[1]) overlay=\(shares[2]) pictures=\(pictures)")
  }

  private static func processTime() -> Double { cpuTime(CLOCK_PROCESS_CPUTIME_ID) }

  private static func rounded(_ seconds: Double) -> Double { (seconds * 10_000).rounded() / 10_000 }
}

/// Seconds that a CPU clock shows.
func cpuTime(_ clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
