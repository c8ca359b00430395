import ConfigFile

/// A program whose standard output is a camera's video: `{ exec = […], format = …, … }`.
public struct CameraProgram: Sendable, Hashable {
  public enum Format: String, Sendable, Hashable, CaseIterable {
    case y4m, yuv420p, nv12, mjpeg

    /// Whether only the configuration knows the frames' size.
    var needsSize: Bool {
      switch self {
      case .yuv420p, .nv12: true
      case .y4m, .mjpeg: false
      }
    }
  }

  /// The program, as an absolute path or as a name that is searched in `PATH`, and its arguments.
  public var command: [String]
  public var format: Format
  /// Pixels; nil for what the stream says.
  public var width: Int?
  public var height: Int?
  /// Frames a second; nil for what the stream says, or else what is configured for the camera.
  public var frameRate: Int?
}

/// A program whose standard output is sound.
public struct MicrophoneProgram: Sendable, Hashable {
  public enum Format: String, Sendable, Hashable, CaseIterable {
    case s16le
  }

  /// As of ``CameraProgram/command``.
  public var command: [String]
  public var format: Format
  /// Hertz.
  public var rate: Int
  public var channels: Int
}

/// The name by which people know a source that is a program.
public func programName(_ command: [String]) -> String {
  "exec:\(command[0].split(separator: "/").last ?? "")"
}

// MARK: - Reading

/// Reads the table of a source that is a program.
struct SourceProgramReader {
  let table: ConfigTable

  private static let maximumArguments = 64

  /// Nil where the table has mistakes, which are logged.
  func camera() -> CameraProgram? {
    let command = command()
    let format = table.choice("format", as: CameraProgram.Format.self)
    let (width, height) = (size("width"), size("height"))
    let frameRate = table.integer("frame_rate", in: 1...60)
    if !table.contains("format") { table.addMissing("format", example: "\"y4m\"") }
    guard let command, let format else { return nil }
    if format.needsSize {
      for key in ["width", "height"] where !table.contains(key) {
        table.addMissing(key, example: "480, as the program sends \(format.rawValue), which does not say it")
      }
      guard width != nil, height != nil else { return nil }
    }
    return CameraProgram(command: command, format: format, width: width, height: height, frameRate: frameRate)
  }

  /// Likewise.
  func microphone() -> MicrophoneProgram? {
    let command = command()
    let format = table.choice("format", as: MicrophoneProgram.Format.self)
    let rate = table.integer("rate", in: 8_000...192_000)
    let channels = table.integer("channels", in: 1...8)
    for (key, example) in [("format", "\"s16le\""), ("rate", "48000"), ("channels", "1")] where !table.contains(key) {
      table.addMissing(key, example: example)
    }
    guard let command, let format, let rate, let channels else { return nil }
    return MicrophoneProgram(command: command, format: format, rate: rate, channels: channels)
  }

  private func size(_ key: String) -> Int? {
    let size = table.integer(key, in: 64...4_096)
    if let size, size % 2 != 0 { table.addError("\(key) must be even", at: key) }
    return size
  }

  private func command() -> [String]? {
    guard table.contains("exec") else {
      table.addMissing("exec", example: "[\"ffmpeg\", \"-i\", \"…\"], a program and its arguments")
      return nil
    }
    let arguments = table.values("exec") { text throws(ConfigValueError) in
      guard !text.utf8.contains(0) else { throw ConfigValueError("exec holds a NUL") }
      return text
    }
    guard let arguments else { return nil }
    guard let program = arguments.first, Self.isProgram(program), arguments.count <= Self.maximumArguments else {
      table.addError(
        "exec must be the path or the name of a program and at most \(Self.maximumArguments - 1) arguments",
        remedy: "write for example exec = [\"/usr/bin/ffmpeg\", \"-i\", \"…\"]; there is no shell", at: "exec")
      return nil
    }
    return arguments
  }

  /// A path from the root, or a name alone.
  private static func isProgram(_ text: String) -> Bool {
    text.hasPrefix("/") ? text.count > 1 && !text.hasSuffix("/") : !text.isEmpty && !text.contains("/")
  }
}
