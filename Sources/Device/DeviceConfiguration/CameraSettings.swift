import CallPolicy
import ConfigFile
public import MediaCore
import Signalling

/// `[[camera]]`: a camera beside that of `[video]`, captured, encoded, recorded and watched for itself.
public struct CameraSettings: Sendable, Hashable {
  public static let maxCount = 3
  /// By which sources of events and rules name the camera of `[video]`.
  public static let mainName = EventSubject.mainCamera

  /// At most 32 lower-case letters, digits, hyphens and underscores; no other camera has it. Its recordings are named by it.
  public var name: String
  /// Its video, from one source.
  public var video: VideoSettings
  /// Where its frames are not searched for motion.
  public var motionMasks: [FramePolygon]

  public var source: CameraSource { video.cameras[0] }
}

extension DeviceConfiguration {
  /// By which policies and parties of calls name what there is to see, the main camera first.
  public var viewNames: [String] {
    [CameraSettings.mainName] + cameras.map(\.name) + (cameras.isEmpty ? [] : [AnswerSettings.mosaic])
  }
}

/// Reads `[[camera]]`.
struct CameraReader {
  let table: ConfigTable
  let main: VideoSettings

  /// Streams of archives that others use.
  private static let takenNames: Set = [CameraSettings.mainName, "caller", "receiver"]

  static func cameras(_ root: ConfigTable, _ main: VideoSettings) -> [CameraSettings] {
    let tables = root.tables("camera")
    if tables.count > CameraSettings.maxCount {
      root.addError(
        "there are \(tables.count) further cameras, more than \(CameraSettings.maxCount)",
        remedy: "a device has four at most, that of [video] among them", at: "camera")
    }
    if !tables.isEmpty, !main.hasCamera {
      root.addError(
        "there are further cameras, and the camera of [video] is \"none\"",
        remedy: "name one of them there, in place of its [[camera]]", at: "camera")
    }
    var cameras: [CameraSettings] = []
    for table in tables {
      let reader = CameraReader(table: table, main: main)
      guard let camera = reader.camera() else { continue }
      reader.checkUnique(camera, among: cameras)
      cameras.append(camera)
    }
    return cameras
  }

  private struct Keys: SettingGroup {
    var name: String?
    var source: CameraSource?
    var video = VideoSettings()
    var masks: [FramePolygon] = []
  }

  static let section = SettingSection<DeviceConfiguration>(
    "camera", .array, whole: \.cameras,
    """
    A further camera, captured at the same time as that of [video]: recorded to a file of its own, watched by the \
    events that name it, and seen by callers who choose it (guides/cameras.md). Up to \(CameraSettings.maxCount).
    """, settings: settings)

  private static let settings: [Setting<Keys>] =
    [
      Setting(
        "name", \.name, .text("string", text: \.self, parse: name), example: "\"yard\"", isRequired: true,
        """
        1 to 32 of a to z, 0 to 9, - and _; no two cameras have the same, and none is device, caller, receiver or \
        mosaic. Its recordings are named by it.
        """),
      Setting(
        "path", \.source,
        SettingType("camera", read: { VideoSettings.source($0, $1, parse: VideoSettings.listedCamera) }),
        example: "\"/dev/v4l/by-id/usb-Yard-video-index0\"", isRequired: true,
        """
        As `camera` in [video], a program among it, but neither auto nor none; no device stands twice. With a device here, `camera` in \
        [video] must not be auto.
        """),
    ] + VideoSettings.imageSettings.lifted(\.video) + [
      Setting(
        "masks", \.masks, .polygons, example: "[[[0.0, 0.0], [1.0, 0.0], [1.0, 0.2]]]",
        "Up to 16 polygons in which motion is ignored, as in [events].")
    ]

  /// Nil where the file has mistakes, which are logged; all that is there is read before that is judged.
  private func camera() -> CameraSettings? {
    var keys = Self.settings.values(of: table)
    keys.video.cameras = [keys.source ?? .testBars]
    keys.video.temporalLayers = main.temporalLayers
    keys.video.savesStillScenes = main.savesStillScenes
    VideoSettings.check(table, &keys.video)
    guard let name = keys.name, keys.source != nil else { return nil }
    return CameraSettings(name: name, video: keys.video, motionMasks: keys.masks)
  }

  private func checkUnique(_ camera: CameraSettings, among others: [CameraSettings]) {
    if others.contains(where: { $0.name == camera.name }) {
      table.addError(
        "another camera is named \"\(camera.name)\"", remedy: "give each its own name", at: "name")
    }
    // Test bars and files may be shown by several.
    guard camera.source.isDevice else { return }
    if let other = others.first(where: { $0.source == camera.source }) {
      table.addError(
        "\"\(other.name)\" has the same path", remedy: "give each camera its own; see livesessions devices", at: "path")
    }
    if main.cameras.contains(camera.source) {
      table.addError("camera in [video] names the same path", remedy: "remove it from one of the two", at: "path")
    }
    if main.cameras == [.automatic] {
      table.addError(
        "camera in [video] is \"auto\", which may take this one", remedy: "name that camera by its path, too",
        at: "path")
    }
  }

  /// A name that files can have, and that no other file of an archive has: `-0002` is a later part of a stream.
  private static func name(_ text: String) throws(ConfigValueError) -> String {
    let remedy = "take 1 to 32 of a to z, 0 to 9, - and _, beginning with a letter or digit, such as \"yard\""
    guard CameraName(text) != nil else {
      throw ConfigValueError("\"\(text)\" cannot be a camera's name", remedy: remedy)
    }
    guard text != AnswerSettings.mosaic else {
      throw ConfigValueError("\"\(text)\" is what all cameras together are called", remedy: "take another name")
    }
    guard !takenNames.contains(text) else {
      throw ConfigValueError("\"\(text)\" is the name of other files of an archive", remedy: "take another name")
    }
    if let hyphen = text.lastIndex(of: "-"), text[hyphen...].utf8.count > 4,
      text[hyphen...].dropFirst().allSatisfy(\.isNumber)
    {
      throw ConfigValueError(
        "\"\(text)\" ends as the later files of a stream do", remedy: "leave out the hyphen before the digits")
    }
    return text
  }
}
