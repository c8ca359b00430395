public import ConfigFile
public import VideoOverlay

/// `[overlay]`: what is drawn into the camera's frames.
public struct OverlaySettings: SettingGroup, Hashable {
  /// Nil for no title.
  public var title: String?
  public var showsTime = false
  public var showsPosition = false
  public var corner = OverlayCorner.topLeft
  public var size = TextSize.medium

  private static let longestTitle = 64

  /// The codes in which the title is drawn.
  public var titleCodes: [UInt8]? {
    title.map { $0.unicodeScalars.compactMap { BitmapFont.code(of: $0) } }
  }

  public init() {}

  static let section = SettingSection<DeviceConfiguration>(
    "overlay", .table, whole: \.overlay,
    "What is written into frames, in a dark box: in calls, recordings, and images of events.", settings: settings)

  private static let settings: [Setting<OverlaySettings>] = [
    Setting(
      "title", \.title, .text("string", text: \.self, parse: title), example: "\"Front door\"",
      "1 to 64 characters of ASCII, and the degree sign."),
    Setting(
      "time", \.showsTime, .bool,
      "Local time, with its distance from UTC; a question mark behind it while the clock is not synchronised."),
    Setting(
      "position", \.showsPosition, .bool,
      "The position of gpsd, as exactly as `precision` of [location] publishes it."),
    Setting("corner", \.corner, .choice(), "Where it stands."),
    Setting("size", \.size, .choice(), "A 68th, a 34th or a 17th of the frame's height."),
  ]

  /// Nil where nothing is to be written.
  static func read(_ table: ConfigTable, _ video: VideoSettings, _ location: LocationSettings) -> OverlaySettings? {
    let settings = settings.values(of: table)
    guard !table.isEmpty else { return nil }
    settings.check(table, video, location)
    return settings
  }

  private func check(_ table: ConfigTable, _ video: VideoSettings, _ location: LocationSettings) {
    if !table.contains("title"), !showsTime, !showsPosition {
      table.addError(
        "the overlay shows nothing", remedy: "set title, time = true or position = true, or remove [overlay]")
    }
    if !video.hasCamera {
      table.addError("there is no video to draw into: the camera is \"none\"", remedy: "remove [overlay]")
    }
    if showsPosition, !location.isEnabled {
      table.addError(
        "position = true shows where the device is to all who see its video, and [location] has enabled = false",
        remedy: "remove one of the two", at: "position")
    }
  }

  private static func title(_ text: String) throws(ConfigValueError) -> String {
    guard (1...longestTitle).contains(text.unicodeScalars.count) else {
      throw ConfigValueError("title must have 1 to \(longestTitle) characters", remedy: "leave it out for none")
    }
    for character in text.unicodeScalars where BitmapFont.code(of: character) == nil {
      throw ConfigValueError(
        "title has a character that cannot be drawn into frames: \(character.escaped(asASCII: true))",
        remedy: "write ASCII, as in \"Haustuer\" or \"Entree\"; of all others there is the degree sign")
    }
    return text
  }
}
