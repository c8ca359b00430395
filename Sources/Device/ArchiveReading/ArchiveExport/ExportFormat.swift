/// The container of an exported file, by its name's suffix.
public enum ExportFormat: String, Hashable, Sendable, CaseIterable {
  case webm
  case mkv
  case mp4

  /// - Throws: ``ExportError/unknownFormat(path:)``, which names the known suffixes.
  public init(path: String) throws(ExportError) {
    let lowercased = path.lowercased()
    guard let format = Self.allCases.first(where: { lowercased.hasSuffix(".\($0.rawValue)") }) else {
      throw .unknownFormat(path: path)
    }
    self = format
  }

  /// Whether it can hold VP8 and Opus as they were recorded; what cannot is made by ffmpeg alone.
  public var holdsRecordings: Bool {
    switch self {
    case .webm, .mkv: true
    case .mp4: false
    }
  }

  /// ffmpeg's names of the video and audio encoders.
  var encoders: [String] {
    switch self {
    case .mp4, .mkv: ["libx264", "aac"]
    case .webm: ["libvpx", "libopus"]
    }
  }

  /// ffmpeg's options for the output.
  var arguments: [String] {
    switch self {
    case .mp4: Self.h264 + ["-movflags", "+faststart", "-f", "mp4"]
    case .mkv: Self.h264 + ["-f", "matroska"]
    case .webm:
      [
        "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "4", "-crf", "15", "-b:v", "3M", "-pix_fmt", "yuv420p",
        "-c:a", "libopus", "-b:a", "64k", "-f", "webm",
      ]
    }
  }

  private static let h264 = [
    "-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "128k",
  ]
}
