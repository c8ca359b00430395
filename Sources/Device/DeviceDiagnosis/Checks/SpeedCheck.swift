import ControlMessages
import DeviceConfiguration
import MediaCore
import MediaPipeline

/// How large frames this machine can encode, and what the other stages of media take.
struct SpeedCheck {
  let measurement: SpeedMeasurement
  /// Nil where the file has mistakes.
  let configuration: DeviceConfiguration?
  /// Whether the daemon runs, which takes its share.
  let isDaemonThere: Bool

  var report: DiagnosisReport { DiagnosisReport(findings: findings, speed: figures) }

  private var findings: [Finding] {
    [Finding(.speed, .ok, processors)] + measurement.encodings.map { Finding(.speed, .ok, Self.text($0)) } + [
      Finding(
        .speed, .ok, "MJPEG \(stageSize): \(Self.milliseconds(measurement.jpegTime)) a frame to decode"),
      Finding(
        .speed, .ok, "YUYV \(stageSize): \(Self.milliseconds(measurement.conversionTime)) a frame to convert"),
      Finding(.speed, .ok, sound),
    ] + recommendation + configured
  }

  private var processors: String {
    "\(Self.count(measurement.processors, "processor"))"
      + (isDaemonThere ? "; the daemon runs meanwhile, so this is what it leaves" : "")
  }

  private static func text(_ encoding: SpeedMeasurement.Encoding) -> String {
    "VP8 \(encoding.width)×\(encoding.height): \(milliseconds(encoding.time)) a frame with "
      + "\(count(encoding.threads, "thread")) at libvpx's speed \(encoding.speed), \(encoding.frameRate)/s in real time"
  }

  private var stageSize: String { "\(measurement.stageSize.width)×\(measurement.stageSize.height)" }

  private var sound: String {
    let share = Self.tenths(measurement.soundTime.seconds / 0.02 * 100)
    return "Opus: \(share) % of a processor"
  }
}

// MARK: - What to set

extension SpeedCheck {
  private var recommendation: [Finding] {
    guard let best = measurement.recommendation else { return [] }
    let percent = Int(saturating: (best.load * 100).rounded())
    return [
      Finding(
        .speed, .ok,
        "one camera with \(best.encoding.width)×\(best.encoding.height) at \(best.frameRate)/s from MJPEG takes "
          + "\(percent) % of all processors while everything moves",
        remedy: "in [video]: \(Self.settings(best))")
    ]
  }

  private static func settings(_ best: SpeedMeasurement.Recommendation) -> String {
    "width = \(best.encoding.width), height = \(best.encoding.height), frame_rate = \(best.frameRate), "
      + "bitrate = \"\(best.bitrate.bitsPerSecond / 1_000)kbit/s\""
  }

  /// What the file asks for.
  private var configured: [Finding] {
    guard let video = configuration?.video, video.hasCamera else { return [] }
    let size = "\(video.width)×\(video.height) at \(video.frameRate)/s"
    switch measurement.suffices(width: video.width, height: video.height, frameRate: video.frameRate) {
    case true?: return [Finding(.speed, .ok, "[video] asks for \(size), which comes in time")]
    case false?, nil:
      return [
        Finding(
          .speed, .warning, "[video] asks for \(size), which is more than this machine encodes in time",
          remedy: "frames will be coarser, then left out: set less in [video]")
      ]
    }
  }
}

// MARK: - Figures

extension SpeedCheck {
  private var figures: SpeedReport {
    let capture = SpeedReport.Capture(
      width: measurement.stageSize.width, height: measurement.stageSize.height,
      jpegTime: Self.rounded(measurement.jpegTime), conversionTime: Self.rounded(measurement.conversionTime))
    return SpeedReport(
      processors: measurement.processors, encodings: measurement.encodings.map(Self.figures), capture: capture,
      soundTime: Self.rounded(measurement.soundTime), recommendation: measurement.recommendation.map(Self.figures))
  }

  private static func figures(_ encoding: SpeedMeasurement.Encoding) -> SpeedReport.Encoding {
    SpeedReport.Encoding(
      width: encoding.width, height: encoding.height, threads: encoding.threads, speed: encoding.speed,
      frameTime: rounded(encoding.time), frameRate: encoding.frameRate)
  }

  private static func figures(_ best: SpeedMeasurement.Recommendation) -> SpeedReport.Recommendation {
    SpeedReport.Recommendation(
      width: best.encoding.width, height: best.encoding.height, frameRate: best.frameRate,
      bitrate: Int(best.bitrate.bitsPerSecond), load: (best.load * 1_000).rounded() / 1_000)
  }

  /// Milliseconds to a microsecond.
  private static func rounded(_ time: TimeSpan) -> Double { (time.seconds * 1_000_000).rounded() / 1_000 }

  private static func milliseconds(_ time: TimeSpan) -> String { "\(tenths(time.seconds * 1_000)) ms" }

  private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }

  private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
