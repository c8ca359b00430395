import ConfigFile
public import MediaCore

/// `[[privacy_mask]]`: a part of a camera's pictures that nobody may see.
public struct PrivacyMaskSettings: Sendable, Hashable {
  public static let most = 16

  public var zone: PicturePolygon
  /// One of those that `[video]` lists; nil for every camera.
  public var camera: CameraSource?

  /// A mistake makes the file unusable, so that no camera is ever shown with less covered than somebody meant.
  static func read(_ root: ConfigTable, _ video: VideoSettings) -> [PrivacyMaskSettings] {
    let tables = root.tables("privacy_mask")
    if tables.count > most {
      root.addError(
        "there are \(tables.count) privacy masks, more than \(most)", remedy: "join some of them", at: "privacy_mask")
    }
    if !tables.isEmpty, !video.hasCamera {
      root.addError(
        "there is nothing to cover: the camera is \"none\"", remedy: "remove [[privacy_mask]], or set video.camera",
        at: "privacy_mask")
    }
    return tables.compactMap { mask($0, video) }
  }

  private static func mask(_ table: ConfigTable, _ video: VideoSettings) -> PrivacyMaskSettings? {
    if !table.contains("zone") { table.addMissing("zone", example: "[[0.0, 0.0], [0.4, 0.0], [0.4, 0.3], [0.0, 0.3]]") }
    let camera = table.value("camera") { text throws(ConfigValueError) in try Self.camera(text, video) }
    return table.polygon("zone").map { PrivacyMaskSettings(zone: $0, camera: camera) }
  }

  private static func camera(_ text: String, _ video: VideoSettings) throws(ConfigValueError) -> CameraSource {
    guard video.cameras.count > 1 else {
      throw ConfigValueError("camera tells apart the cameras of a list, and there is but one", remedy: "remove it")
    }
    guard let camera = try? VideoSettings.camera(text), video.cameras.contains(camera)
    else {
      throw ConfigValueError(
        "\"\(text)\" is none of the cameras in [video]", remedy: "write it as it stands in that list")
    }
    return camera
  }
}
