public import ConfigFile
public import MediaCore

/// The source of video.
public enum CameraSource: Sendable, Hashable {
  /// The first camera that the system has.
  case automatic
  /// A V4L2 device by its path, best a stable one below `/dev/v4l/by-id`.
  case device(path: String)
  /// A Y4M file, from the start again after its end or once.
  case file(path: String, repeats: Bool)
  /// Moving colour bars with a frame number, for trials without hardware.
  case testBars
  /// A quiet street in which something happens now and then, for trials without hardware.
  case testStreet
  /// What a program writes.
  case program(CameraProgram)
  case none

  /// Whether this can be a V4L2 device, which has pixel formats to choose from.
  var isDevice: Bool {
    switch self {
    case .automatic, .device: true
    case .file, .testBars, .testStreet, .program, .none: false
    }
  }
}

/// The standard of the analogue signal at a grabber.
public enum VideoStandard: String, Sendable, Hashable, CaseIterable {
  case pal = "PAL"
  case ntsc = "NTSC"
  case secam = "SECAM"
}

/// The flicker of lamps that a camera filters out.
public enum PowerLineFrequency: String, Sendable, Hashable, CaseIterable {
  case hertz50 = "50Hz"
  case hertz60 = "60Hz"
  case automatic = "auto"
  case off
}

/// `[video]`: what is captured and how it is encoded.
public struct VideoSettings: SettingGroup, Hashable {
  private static let maximumCameras = 8

  /// At least one; with more the next follows when the camera is swapped. ``CameraSource/none`` stands alone.
  public var cameras = [CameraSource.automatic]
  /// The code of the V4L2 pixel format, as `livesessions devices` shows it (`YUYV`, `Y16-BE`), to capture in; nil takes
  /// the one that costs least to convert.
  public var pixelFormat: String?
  /// One of a grabber's inputs, by its name or number; nil leaves it as it is.
  public var input: String?
  /// Nil takes what a grabber detects.
  public var standard: VideoStandard?
  /// Nil leaves it as it is.
  public var powerLineFrequency: PowerLineFrequency?
  /// Pixels.
  public var width = 640
  public var height = 480
  /// Frames per second.
  public var frameRate = 30
  public var bitrate = Bitrate.kilobits(800)
  /// 1 to 3: with more a viewer of less bandwidth can be sent fewer frames.
  public var temporalLayers = 1
  /// Whether what does not move is encoded once, without its noise.
  public var savesStillScenes = true

  public init() {}

  /// Those of `[video]`.
  static let settings: [Setting<VideoSettings>] =
    [
      Setting(
        "camera", \.cameras,
        SettingType(
          "camera, or list of 2 to 8 cameras", read: cameras,
          text: { $0 == [.automatic] ? TOMLText.string("auto") : nil }),
        """
        `"auto"` (the first camera), a path (best below /dev/v4l/by-id, which stays the same; `livesessions devices` \
        lists them), `"file:/path/clip.y4m"` (repeated; with `#once` behind it once), `"test:street"`, `"test:bars"` or \
        `"none"`; or a program that writes video, `{ exec = ["program", "argument"], format = "yuv420p", width = 640, \
        height = 480, frame_rate = 30 }` (format: y4m, yuv420p, nv12 or mjpeg; guides/cameras-by-program.md). \
        Of a list, such as `["/dev/video0", "/dev/video2"]`, the first one is shown until an operator swaps it.
        """)
    ] + imageSettings + [
      Setting(
        "temporal_layers", \.temporalLayers, .integer(1...3),
        "With more than one, a viewer of less bandwidth receives fewer frames instead of worse ones for all."),
      Setting(
        "still_scenes", \.savesStillScenes, .bool,
        """
        Encodes what does not move once, without the camera's noise, instead of with every frame: a still scene takes \
        a fraction of the computing time and the bits. `false` encodes every frame whole.
        """),
    ]

  /// What a camera's table says of frames, besides their source.
  static let imageSettings: [Setting<VideoSettings>] = [
    Setting(
      "pixel_format", \.pixelFormat, .text("FourCC", text: \.self, parse: fourCC), example: "\"YUYV\"",
      "What the camera delivers; without it the format that costs least to convert."),
    Setting(
      "input", \.input, .text("string", text: \.self, parse: input), example: "\"S-Video\"",
      """
      Of a grabber for composite or S-Video: the input, by its name or number as `livesessions devices` lists it; \
      without it the one that is set.
      """),
    Setting(
      "standard", \.standard, .choice(), example: "\"PAL\"",
      "Of a grabber: the signal's standard; without it the one that the grabber detects."),
    Setting(
      "power_line_frequency", \.powerLineFrequency, .choice(), example: "\"50Hz\"",
      "The flicker of lamps that the camera filters out; without it the camera's own setting is left as it is."),
    Setting("width", \.width, .integer(64...4_096), "Pixels; an even number."),
    Setting("height", \.height, .integer(64...4_096), "Pixels; an even number."),
    Setting("frame_rate", \.frameRate, .integer(1...60), "Frames a second."),
    Setting("bitrate", \.bitrate, .bitrate(50_000...20_000_000), "Bit rate of the encoded video."),
  ]

  static func check(_ table: ConfigTable, _ settings: inout VideoSettings) {
    // 4:2:0 sampling halves both sides.
    if settings.width % 2 != 0 { table.addError("width must be even", at: "width") }
    if settings.height % 2 != 0 { table.addError("height must be even", at: "height") }
    guard !settings.cameras.contains(where: \.isDevice) else { return }
    for key in ["pixel_format", "input", "standard", "power_line_frequency"] where table.contains(key) {
      table.addError("\(key) has no effect without a camera device", remedy: "remove it", at: key)
    }
  }

  /// Whether video can be captured at all.
  public var hasCamera: Bool { cameras != [.none] }
}

// MARK: - Cameras

extension VideoSettings {
  private static func cameras(_ table: ConfigTable, _ key: String) -> [CameraSource]? {
    guard case .array(let elements)? = table.node(key)?.value else {
      return source(table, key, parse: camera).map { [$0] }
    }
    let cameras = table.values(key, parse: listedCamera, table: programSource) ?? []
    if !(2...maximumCameras).contains(elements.count) {
      table.addError(
        "camera lists \(elements.count), outside 2 to \(maximumCameras)",
        remedy: "write a single one without brackets", at: "camera")
    }
    if Set(cameras).count < cameras.count { table.addError("camera lists the same one twice", at: "camera") }
    return cameras.isEmpty ? [.automatic] : cameras
  }

  /// A text, or the table of a program.
  static func source(
    _ table: ConfigTable, _ key: String, parse: (String) throws(ConfigValueError) -> CameraSource
  ) -> CameraSource? {
    table.value(key, parse: parse, table: programSource)
  }

  private static func programSource(_ table: ConfigTable) -> CameraSource? {
    SourceProgramReader(table: table).camera().map { .program($0) }
  }

  static func camera(_ text: String) throws(ConfigValueError) -> CameraSource {
    switch text {
    case "auto": return .automatic
    case "none": return .none
    case "test:bars": return .testBars
    case "test:street": return .testStreet
    case _ where text.hasPrefix("/dev/"): return .device(path: text)
    case _ where text.hasPrefix(SourceFile.prefix):
      let file = try SourceFile(text, key: "camera", example: "file:/srv/clip.y4m")
      return .file(path: file.path, repeats: file.repeats)
    default:
      throw ConfigValueError(
        "camera cannot be \"\(text)\"",
        remedy:
          "it is \"auto\", a path such as \"/dev/video0\", \"file:/…\", \"test:bars\", \"test:street\", \"none\""
          + " or a program, { exec = […], format = \"y4m\" }")
    }
  }

  /// In a list each camera is one of its own: `auto` may be the same as another, and `none` is none.
  static func listedCamera(_ text: String) throws(ConfigValueError) -> CameraSource {
    let source = try camera(text)
    guard source != .automatic, source != .none else {
      throw ConfigValueError("\"\(text)\" cannot be one of several cameras", remedy: "name each by its path")
    }
    return source
  }

  private static func input(_ text: String) throws(ConfigValueError) -> String {
    guard (1...31).contains(text.utf8.count) else {
      throw ConfigValueError(
        "\"\(text)\" is no input", remedy: "write its name or number as `livesessions devices` lists it")
    }
    return text
  }

  /// Three or four printable characters without the spaces that V4L2 fills them with, `-BE` behind them for big-endian.
  private static func fourCC(_ text: String) throws(ConfigValueError) -> String {
    let stem = text.hasSuffix("-BE") ? text.dropLast(3) : text[...]
    guard (3...4).contains(stem.utf8.count), stem.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw ConfigValueError(
        "\"\(text)\" is not a pixel format",
        remedy: "write a FourCC such as \"YUYV\"; `livesessions devices` lists them")
    }
    return text
  }
}
