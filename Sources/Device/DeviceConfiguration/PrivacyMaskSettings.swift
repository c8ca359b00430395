import ConfigFile
public import MediaCore

/// `[[privacy_mask]]`: a part of a camera's frames that must not be visible.
public struct PrivacyMaskSettings: Sendable, Hashable {
  public static let maxCount = 16

  public enum Camera: Sendable, Hashable {
    /// One of those that `[video]` names.
    case main(CameraSource)
    /// The `[[camera]]` of that name.
    case further(String)
  }

  public var zone: FramePolygon
  /// Nil for every camera.
  public var camera: Camera?

  /// A mistake makes the file unusable, so that no camera is ever shown with less covered than intended.
  static func read(_ root: ConfigTable, _ video: VideoSettings, _ cameras: [CameraSettings]) -> [PrivacyMaskSettings] {
    let tables = root.tables("privacy_mask")
    if tables.count > maxCount {
      root.addError(
        "there are \(tables.count) privacy masks, more than \(maxCount)", remedy: "join some of them",
        at: "privacy_mask")
    }
    if !tables.isEmpty, !video.hasCamera {
      root.addError(
        "there is nothing to cover: the camera is \"none\"", remedy: "remove [[privacy_mask]], or set video.camera",
        at: "privacy_mask")
    }
    return tables.compactMap { mask($0, video, cameras) }
  }

  private struct Keys: SettingGroup {
    var zone: FramePolygon?
  }

  static let section = SettingSection<DeviceConfiguration>(
    "privacy_mask", .array, whole: \.privacyMasks,
    """
    A part of the image that is covered: black in calls, recordings, images of events and snapshots \
    (guides/cameras.md). Up to \(maxCount).
    """, settings: settings)

  private static let settings: [Setting<Keys>] = [
    Setting(
      "zone", \.zone, .polygon, example: "[[0.0, 0.0], [0.4, 0.0], [0.4, 0.3], [0.0, 0.3]]", isRequired: true,
      "3 to 32 corners, in fractions of the image from the upper left."),
    Setting(
      "camera", "camera", example: "\"/dev/v4l/by-id/usb-Yard-video-index0\"",
      "One of those that `camera` in [video] lists, or the name of a [[camera]]; all of them without it."),
  ]

  private static func mask(
    _ table: ConfigTable, _ video: VideoSettings, _ cameras: [CameraSettings]
  ) -> PrivacyMaskSettings? {
    let keys = settings.values(of: table)
    let camera = table.value("camera") { text throws(ConfigValueError) in try Self.camera(text, video, cameras) }
    return keys.zone.map { PrivacyMaskSettings(zone: $0, camera: camera) }
  }

  private static func camera(
    _ text: String, _ video: VideoSettings, _ cameras: [CameraSettings]
  ) throws(ConfigValueError) -> Camera {
    guard video.cameras.count + cameras.count > 1 else {
      throw ConfigValueError("camera chooses among several cameras, and there is only one", remedy: "remove it")
    }
    if cameras.contains(where: { $0.name == text }) { return .further(text) }
    guard let source = video.camera(named: text) else {
      throw ConfigValueError(
        "\"\(text)\" is none of the cameras in [video], and no [[camera]]",
        remedy:
          "write a source as it stands in [video] (of a program \"exec:\" and its name), or the name of a [[camera]]")
    }
    return .main(source)
  }
}

extension VideoSettings {
  /// Nil where none, or more than one, is called that.
  fileprivate func camera(named text: String) -> CameraSource? {
    let programs = cameras.filter {
      if case .program(let program) = $0 { programName(program.command) == text } else { false }
    }
    if let program = programs.first { return programs.count == 1 ? program : nil }
    return (try? VideoSettings.camera(text)).flatMap { cameras.contains($0) ? $0 : nil }
  }
}
