public import ConfigFile

/// Everything that `device.toml` sets.
public struct DeviceConfiguration: Sendable, Hashable {
  /// Where the packages install it.
  public static let defaultPath = "/etc/livesessions/device.toml"

  public var identity: IdentitySettings
  public var hub: HubSettings
  public var video: VideoSettings
  /// Those beside that of ``video``, in the file's order.
  public var cameras: [CameraSettings]
  public var audio: AudioSettings
  public var sounds: SoundSettings
  public var calls: CallSettings
  public var archive: ArchiveSettings
  public var evidence: EvidenceSettings
  public var upload: UploadSettings
  public var network: NetworkSettings
  public var location: LocationSettings
  public var control: ControlSettings
  public var telemetry: TelemetrySettings
  public var log: LogSettings
  public var buttons: [ButtonSettings]
  /// Parts of cameras' pictures that nobody may see.
  public var privacyMasks: [PrivacyMaskSettings]
  /// Nil where nothing is written into pictures.
  public var overlay: OverlaySettings?
  public var events: EventSettings
  /// By which the device records itself, in the file's order.
  public var plans: [PlanSettings]
  /// What callers and somebody at the device can have done, in the file's order.
  public var actions: [ActionSettings]
  /// What events set off, in the file's order: the first that matches decides.
  public var eventRules: [EventRuleSettings] = []
  public var mail: MailSettings

  /// - Throws: all the mistakes of the file.
  public init(path: String) throws(ConfigErrors) {
    self = try ConfigDocument(path: path).read(Self.init(root:))
  }

  /// - Parameter file: the name that errors show.
  public init(text: String, file: String) throws(ConfigErrors) {
    self = try ConfigDocument(text: text, file: file).read(Self.init(root:))
  }

  private init(root: ConfigTable) {
    identity = IdentitySettings(root.table("device"))
    hub = HubSettings(root.table("hub"))
    video = VideoSettings(root.table("video"))
    cameras = CameraReader.cameras(root, video)
    audio = AudioSettings(root.table("audio"))
    sounds = SoundSettings(root.table("sounds"))
    calls = CallSettings(root.table("calls"))
    let archiveTable = root.table("archive")
    archive = ArchiveSettings(archiveTable, stateDirectory: identity.stateDirectory)
    archive.check(archiveTable, video, audio)
    evidence = EvidenceSettings(root.table("evidence"))
    upload = UploadSettings(root.table("upload"))
    network = NetworkSettings(root.table("network"))
    location = LocationSettings(root.table("location"))
    control = ControlSettings(root.table("control"))
    telemetry = TelemetrySettings(root.table("telemetry"))
    log = LogSettings(root.table("log"))
    actions = ActionSettings.read(root.tables("action"))
    buttons = ButtonReader.buttons(root, actions: actions)
    privacyMasks = PrivacyMaskSettings.read(root, video, cameras)
    overlay = OverlaySettings.read(root.table("overlay"), video, location)
    events = EventSettings(root, cameras: cameras.map(\.name))
    events.check(root, video, audio, location)
    InputConflicts(actions, buttons, events.sources).check(root)
    plans = PlanReader.plans(root, events: events, video)
    mail = MailSettings(root.table("mail"))
    eventRules = EventRuleReader.rules(root, self)
    PlanSettings.check(plans, root, self)
  }
}

/// `[device]`: who the device is.
public struct IdentitySettings: Sendable, Hashable {
  /// The name under which others find it, 1 to 128 bytes.
  public var title: String
  public var stateDirectory: String

  init(_ table: ConfigTable) {
    stateDirectory = table.absolutePath("state_directory", default: "/var/lib/livesessions")
    title = table.string("title", default: "")
    if !table.contains("title") {
      table.addMissing("title", example: "\"Front gate\"")
    } else if !(1...128).contains(title.utf8.count) {
      table.addError("title must have 1 to 128 bytes", at: "title")
    }
  }
}

/// `[control]`: the local control socket.
public struct ControlSettings: Sendable, Hashable {
  public static let defaultSocket = "/run/livesessions/control"

  public var socket: String
  /// A second socket, for watching only; nil leaves it to systemd to pass one.
  public var monitorSocket: String?

  init(_ table: ConfigTable) {
    socket = table.absolutePath("socket", default: Self.defaultSocket)
    monitorSocket = table.absolutePath("monitor_socket")
    for (key, path) in [("socket", socket), ("monitor_socket", monitorSocket ?? "")] where path.utf8.count > 107 {
      table.addError("\(key) is longer than the 107 bytes that Linux permits", at: key)
    }
    if monitorSocket == socket {
      table.addError("monitor_socket is the same as socket", remedy: "give it another name", at: "monitor_socket")
    }
  }
}

/// `[log]`: what is logged.
public struct LogSettings: Sendable, Hashable {
  /// The levels of swift-log, by their names.
  public enum Level: String, Sendable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
  }

  public var level: Level

  init(_ table: ConfigTable) { level = table.choice("level") ?? .info }
}

extension ConfigTable {
  /// A path that does not depend on where the daemon was started.
  func absolutePath(_ key: String) -> String? {
    value(key) { text throws(ConfigValueError) in
      guard text.hasPrefix("/") else {
        throw ConfigValueError("\(key) must be an absolute path", remedy: "begin it with /")
      }
      return text
    }
  }

  func absolutePath(_ key: String, default fallback: String) -> String { absolutePath(key) ?? fallback }
}
