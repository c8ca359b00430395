public import ConfigFile
public import EventDetection
public import MediaCore
public import MotionDetection
public import Signalling

/// `[[event]]` or `[[geofence]]`: a source of events.
public struct EventSourceSettings: Sendable, Hashable {
  public static let maxCount = 16

  /// 1 to 64 bytes; no other source has it.
  public var name: String
  public var source: any EventSource
  public var timing: EventTiming
  /// The name of the further camera that it watches; nil for the main one, and where it watches none.
  public var camera: String?

  /// Of what kind its events are.
  public var kind: EventKind { type(of: source).kind }
  public var need: EventNeed { kind.facts.need }
  /// What judges it, of its own for each call.
  public var watching: EventWatching { source.watching(timing) }
  /// From the beginning of an event until it is reported, with some time to begin an archive.
  public var delay: TimeSpan { source.delay(timing) }

  private var identity: AnyHashable { AnyHashable(source) }

  public static func == (first: Self, second: Self) -> Bool {
    (first.name, first.identity, first.timing, first.camera)
      == (second.name, second.identity, second.timing, second.camera)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(identity)
  }
}

/// `[events]`: what all sources have in common, and how long events are kept.
public struct EventSettings: SettingGroup, Hashable {
  /// 1 to 100.
  public var sensitivity = 50
  /// Where the main camera's frames are not searched for motion.
  public var masks: [FramePolygon] = []
  /// Older events and their images are deleted.
  public var maximumAge = Duration.seconds(30 * 86_400)
  /// Bytes that the events and their images may take; the oldest day goes first.
  public var maximumTotal: Int64 = 256 << 20
  public var sources: [EventSourceSettings] = []

  public init() {}

  static let settings: [Setting<EventSettings>] = [
    Setting(
      "sensitivity", \.sensitivity, .integer(1...100),
      "How little has to differ from the background to be motion; 100 is most sensitive."),
    Setting(
      "masks", \.masks, .polygons, example: "[[[0.0, 0.0], [1.0, 0.0], [1.0, 0.2], [0.0, 0.2]]]",
      """
      Polygons in which motion is ignored with the camera of [video]: up to 16, each of 3 to 32 corners, in \
      fractions of the image from the upper left.
      """),
    Setting(
      "max_age", \.maximumAge, .duration(.seconds(86_400)...(.seconds(10 * 365 * 86_400))),
      "Older events and their images are deleted, while the clock can be trusted."),
    Setting(
      "max_total", \.maximumTotal, .bytes,
      """
      What events and images may take, at least 1MiB; the oldest day is deleted first, then the oldest images of today.
      """),
  ]

  static func check(_ table: ConfigTable, _ settings: inout EventSettings) {
    guard settings.maximumTotal < 1_048_576 else { return }
    table.addError("max_total is less than 1 MiB", remedy: "give events more space", at: "max_total")
  }

  /// Refuses sources that nothing can feed.
  func check(_ root: ConfigTable, _ video: VideoSettings, _ audio: AudioSettings, _ location: LocationSettings) {
    if location.gpsd == nil, let source = sources.first(where: { $0.need == .positions }) {
      root.addError(
        "there are no positions for \"\(source.name)\": [location] is static or not enabled",
        remedy: "remove it, or location.static and enabled = false",
        at: source.kind == .geofence ? "geofence" : "event")
    }
    if !video.hasCamera, let source = sources.first(where: { $0.need == .camera }) {
      root.addError(
        "there is nothing to watch for \"\(source.name)\": the camera is \"none\"",
        remedy: "remove its [[event]], or set video.camera", at: "event")
    }
    if audio.microphone == .none, let source = sources.first(where: { $0.need == .microphone }) {
      root.addError(
        "there is nothing to listen to for \"\(source.name)\": the microphone is \"none\"",
        remedy: "remove its [[event]], or set audio.microphone", at: "event")
    }
  }

  /// How motion is detected in a camera's frames, but for the sources' zones.
  ///
  /// - Parameter camera: a further one; nil for the main one.
  public func motion(of camera: CameraSettings?) -> MotionSettings {
    MotionSettings(sensitivity: sensitivity, masks: camera?.motionMasks ?? masks, zones: [])
  }
}

extension DeviceConfiguration {
  /// Whether a device that was started with this has what a source watches or listens to, by names of cameras, and has
  /// no button or action that keeps its key or line from it.
  public func feeds(_ source: EventSourceSettings) -> Bool {
    guard InputConflicts(actions, buttons, [source]).areNone else { return false }
    return switch source.need {
    case .camera: source.camera.map { name in cameras.contains { $0.name == name } } ?? video.hasCamera
    case .microphone: audio.microphone != .none
    case .positions: location.gpsd != nil
    case .sensors, .lines: true
    }
  }
}
