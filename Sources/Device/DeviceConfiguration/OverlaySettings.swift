import ConfigFile
public import PictureMarks

/// `[overlay]`: what is written into the camera's pictures.
public struct OverlaySettings: Sendable, Hashable {
  /// Nil for no title.
  public var title: String?
  public var showsTime: Bool
  public var showsPosition: Bool
  public var corner: PictureCorner
  public var size: TextSize

  private static let longestTitle = 64

  /// The codes in which the title is drawn.
  public var titleCodes: [UInt8]? {
    title.map { $0.unicodeScalars.compactMap { BitmapFont.code(of: $0) } }
  }

  /// Nil where nothing is to be written.
  static func read(_ table: ConfigTable, _ video: VideoSettings, _ location: LocationSettings) -> OverlaySettings? {
    let settings = OverlaySettings(
      title: table.value("title", parse: title), showsTime: table.bool("time", default: false),
      showsPosition: table.bool("position", default: false),
      corner: table.choice("corner") ?? .topLeft, size: table.choice("size") ?? .medium)
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
      table.addError("there are no pictures to write into: the camera is \"none\"", remedy: "remove [overlay]")
    }
    if showsPosition, !location.isEnabled {
      table.addError(
        "position = true shows where the device is to all who see its pictures, and [location] has enabled = false",
        remedy: "remove one of the two", at: "position")
    }
  }

  private static func title(_ text: String) throws(ConfigValueError) -> String {
    guard (1...longestTitle).contains(text.unicodeScalars.count) else {
      throw ConfigValueError("title must have 1 to \(longestTitle) characters", remedy: "leave it out for none")
    }
    for character in text.unicodeScalars where BitmapFont.code(of: character) == nil {
      throw ConfigValueError(
        "title has a character that cannot be written into pictures: \(character.escaped(asASCII: true))",
        remedy: "write ASCII, as in \"Haustuer\" or \"Entree\"; of all others there is the degree sign")
    }
    return text
  }
}
