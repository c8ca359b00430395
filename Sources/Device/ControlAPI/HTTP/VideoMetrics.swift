import MediaPlaneAPI
import SafeText

/// The figures of all cameras: further ones have a label with their name from the configuration, the main one has none.
struct VideoMetrics {
  private let cameras: [(labels: [(name: String, value: String)], video: VideoTelemetry)]

  init(_ media: MediaTelemetry) {
    cameras = [([], media.video)] + (media.cameras ?? []).map { ([("camera", $0.name)], $0.video) }
  }

  func add(to output: inout MetricText) {
    addCounters(to: &output)
    output.add(
      "video_capture_frames_per_second", .gauge, "Frames captured lately.", samples { $0.captureRate })
    output.add("video_encode_frames_per_second", .gauge, "Frames encoded lately.", samples { $0.encodeRate })
    output.add(
      "video_encode_seconds", .gauge, "What a frame takes to encode on average.", samples { $0.encodeTime / 1_000 })
    output.add(
      "video_still_ratio", .gauge, "The share of the last frame that was still.", samples { $0.stillShare })
    output.add(
      "video_target_bytes_per_second", .gauge, "What the encoder is to make.",
      samples { Double($0.targetBitrate) / 8 })
  }

  private func addCounters(to output: inout MetricText) {
    output.add(
      "video_frames_captured_total", .counter, "Frames that a source delivered.", samples { Double($0.framesCaptured) })
    output.add(
      "video_frames_encoded_total", .counter, "Frames that were encoded.", samples { Double($0.framesEncoded) })
    output.add(
      "video_frames_repeated_total", .counter, "Frames that repeat the one before, since nothing had changed.",
      samples { Double($0.framesRepeated) })
    output.add(
      "video_frames_dropped_total", .counter,
      "Frames left out: damaged, the encoder was busy, a lower frame rate, or its rate control.", dropped)
    output.add(
      "video_key_frames_total", .counter, "Key frames among the encoded.", samples { Double($0.keyFrames) })
    output.add("video_encoded_bytes_total", .counter, "Bytes that the encoder made.", samples { Double($0.bytes) })
    output.add(
      "video_saved_bytes_total", .counter, "About what a still scene took less than the bit rate allowed.",
      samples { Double($0.bytesSaved) })
    output.add(
      "camera_failures_total", .counter, "Times that the camera failed and was closed.",
      samples { Double($0.failures) })
  }

  private func samples(_ value: (VideoTelemetry) -> Double) -> [MetricText.Sample] {
    cameras.map { MetricText.Sample(labels: $0.labels, value: value($0.video)) }
  }

  private var dropped: [MetricText.Sample] {
    cameras.flatMap { labels, video in
      [
        ("damaged", video.framesDamaged), ("busy", video.framesDropped), ("thinned", video.framesThinned),
        ("rate", video.framesSkipped),
      ].map { MetricText.Sample(labels: labels + [("reason", $0)], value: Double($1)) }
    }
  }
}
