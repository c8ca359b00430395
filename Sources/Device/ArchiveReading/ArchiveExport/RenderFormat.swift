/// What a rendered file is made of, by its name's extension.
enum RenderFormat: Hashable {
  case mp4
  case webm

  init(path: String) throws(ExportError) {
    if path.hasSuffix(".mp4") {
      self = .mp4
    } else if path.hasSuffix(".webm") {
      self = .webm
    } else {
      throw .unknownFormat(path: path)
    }
  }

  /// ffmpeg's names of the video and audio encoders.
  var encoders: [String] {
    switch self {
    case .mp4: ["libx264", "aac"]
    case .webm: ["libvpx", "libopus"]
    }
  }

  /// ffmpeg's options for the output.
  var arguments: [String] {
    switch self {
    case .mp4:
      [
        "-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "128k",
        "-movflags", "+faststart", "-f", "mp4",
      ]
    case .webm:
      [
        "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "4", "-crf", "15", "-b:v", "3M", "-pix_fmt", "yuv420p",
        "-c:a", "libopus", "-b:a", "64k", "-f", "webm",
      ]
    }
  }
}
