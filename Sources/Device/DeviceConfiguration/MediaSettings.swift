import ConfigFile
public import MediaCore

/// Where pictures come from.
public enum CameraSource: Sendable, Hashable {
  /// The first camera that the system has.
  case automatic
  /// A V4L2 device by its path, best a stable one below `/dev/v4l/by-id`.
  case device(path: String)
  /// Moving colour bars with a frame number, for trials without hardware.
  case testBars
  case none
}

/// Where sound comes from.
public enum MicrophoneSource: Sendable, Hashable {
  case automatic
  /// An ALSA device such as `plughw:1,0`.
  case device(name: String)
  /// A sine, for trials without hardware.
  case testTone
  case none
}

/// Where the caller is heard.
public enum SpeakerSink: Sendable, Hashable {
  case automatic
  /// An ALSA device such as `plughw:1,0`.
  case device(name: String)
  case none
}

/// `[video]`: what is captured and how it is encoded.
public struct VideoSettings: Sendable, Hashable {
  public var camera: CameraSource
  /// Pixels.
  public var width: Int
  public var height: Int
  /// Frames per second.
  public var frameRate: Int
  public var bitrate: Bitrate

  init(_ table: ConfigTable) {
    camera = table.value("camera", parse: Self.camera) ?? .automatic
    width = table.integer("width", default: 640, in: 64...4_096)
    height = table.integer("height", default: 480, in: 64...4_096)
    frameRate = table.integer("frame_rate", default: 30, in: 1...60)
    bitrate = Bitrate(bitsPerSecond: table.bitrate("bitrate", default: 800_000, in: 50_000...20_000_000))
    // 4:2:0 sampling halves both sides.
    if width % 2 != 0 { table.addError("width must be even", at: "width") }
    if height % 2 != 0 { table.addError("height must be even", at: "height") }
  }

  private static func camera(_ text: String) throws(ConfigValueError) -> CameraSource {
    switch text {
    case "auto": return .automatic
    case "none": return .none
    case "test:bars": return .testBars
    case _ where text.hasPrefix("/dev/"): return .device(path: text)
    default:
      throw ConfigValueError(
        "camera cannot be \"\(text)\"",
        remedy: "it is \"auto\", a path such as \"/dev/video0\", \"test:bars\" or \"none\"")
    }
  }
}

/// `[audio]`: what is captured, how it is encoded, and where callers are heard.
public struct AudioSettings: Sendable, Hashable {
  public var microphone: MicrophoneSource
  public var speaker: SpeakerSink
  public var bitrate: Bitrate

  init(_ table: ConfigTable) {
    microphone = table.value("microphone", parse: Self.microphone) ?? .automatic
    speaker = table.value("speaker", parse: Self.speaker) ?? .automatic
    bitrate = Bitrate(bitsPerSecond: table.bitrate("bitrate", default: 32_000, in: 6_000...510_000))
  }

  private static func microphone(_ text: String) throws(ConfigValueError) -> MicrophoneSource {
    switch text {
    case "auto": .automatic
    case "none": .none
    case "test:tone": .testTone
    default: .device(name: try checkDevice(text, key: "microphone", special: "\"auto\", \"test:tone\", \"none\""))
    }
  }

  private static func speaker(_ text: String) throws(ConfigValueError) -> SpeakerSink {
    switch text {
    case "auto": .automatic
    case "none": .none
    default: .device(name: try checkDevice(text, key: "speaker", special: "\"auto\", \"none\""))
    }
  }

  private static func checkDevice(_ text: String, key: String, special: String) throws(ConfigValueError) -> String {
    let isName = !text.isEmpty && !text.hasPrefix("/") && !text.hasPrefix("test:") && !text.hasPrefix("file:")
    guard isName else {
      throw ConfigValueError(
        "\(key) cannot be \"\(text)\"", remedy: "it is \(special) or a name that `arecord -L` lists")
    }
    return text
  }
}

/// `[archive]`: where recordings are kept.
public struct ArchiveSettings: Sendable, Hashable {
  public var directory: String
  /// Recording stops when the file system has less room than this, in bytes.
  public var minimumFree: Int64

  init(_ table: ConfigTable, stateDirectory: String) {
    directory = table.absolutePath("directory", default: "\(stateDirectory)/archives")
    minimumFree = table.bytes("min_free", default: 536_870_912)
  }
}
