import Glibc

/// Why an archive could not be exported; `description` is a line for people.
public enum ExportError: Error, Hashable, Sendable {
  /// There is a file of this name already.
  case exists(path: String)
  case system(path: String, errno: Int32)
  /// No party of the archive has video.
  case noVideo
  case unknownFormat(path: String)
  /// What is not re-encoded cannot have this format.
  case joinedIsWebM(path: String)
  case ffmpegMissing
  /// This ffmpeg was built without what the format needs.
  case encoderMissing([String])
  /// It ended with this status, or was killed by this signal; what it said has been seen.
  case ffmpegFailed(status: Int32)
  /// It was content with the file that it made, which is not whole.
  case notWhole(String)
}

extension ExportError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .exists(let path): "\(path) exists; --force replaces it"
    case .system(let path, let code): "\(path): \(String(cString: strerror(code)))"
    case .noVideo:
      "the archive has no video, so nothing can be rendered; export it as .webm or .mkv without --side-by-side"
    case .unknownFormat(let path): "\(path): the suffix says no known format; there are \(Self.suffixes)"
    case .joinedIsWebM(let path):
      "\(path): what is not re-encoded is WebM: name it .webm or .mkv, or add --side-by-side, which renders .mp4 too"
    case .ffmpegMissing: "ffmpeg is not installed, which .mp4 and --side-by-side need; install the package ffmpeg"
    case .encoderMissing(let names):
      "this ffmpeg has no encoder \(names.joined(separator: " or ")); name the output .webm, or install another ffmpeg"
    case .ffmpegFailed(let status): "ffmpeg failed with status \(status)"
    case .notWhole(let detail): "the file that ffmpeg made is not whole (\(detail)) and was removed: is the disk full?"
    }
  }

  private static var suffixes: String { ExportFormat.allCases.map { ".\($0.rawValue)" }.joined(separator: ", ") }
}
