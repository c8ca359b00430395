public import ConfigFile
import SystemSupport

/// Everything that `device.toml` sets.
public struct DeviceConfiguration: SettingGroup, Hashable {
  public var identity = IdentitySettings()
  public var hub = HubSettings()
  public var video = VideoSettings()
  /// Those beside that of ``video``, in the file's order.
  public var cameras: [CameraSettings] = []
  public var audio = AudioSettings()
  public var sounds = SoundSettings()
  public var calls = CallSettings()
  public var archive = ArchiveSettings()
  public var evidence = EvidenceSettings()
  public var upload = UploadSettings()
  public var network = NetworkSettings()
  public var location = LocationSettings()
  public var control = ControlSettings()
  public var http = HTTPSettings()
  public var mqtt = MQTTSettings()
  public var telemetry = TelemetrySettings()
  public var log = LogSettings()
  public var buttons: [ButtonSettings] = []
  /// Parts of cameras' frames that are covered.
  public var privacyMasks: [PrivacyMaskSettings] = []
  /// Nil where nothing is written into frames.
  public var overlay: OverlaySettings?
  public var events = EventSettings()
  /// By which the device records itself, in the file's order.
  public var plans: [PlanSettings] = []
  /// What the device can do for callers and at the control socket, in the file's order.
  public var actions: [ActionSettings] = []
  /// What events set off, in the file's order: the first that matches decides.
  public var eventRules: [EventRuleSettings] = []
  public var mail = MailSettings()
  /// Servers to which the device pushes its video and sound, in the file's order.
  public var publications: [PublishSettings] = []

  /// Defaults alone: without title and hub, so for comparisons only.
  public init() {}

  /// - Throws: all the mistakes of the file.
  public init(path: String) throws(ConfigErrors) {
    self = try ConfigDocument(path: path).read { Self(root: $0, of: DeviceInstance(configurationPath: path)) }
  }

  /// - Parameter file: the name that errors show, and by which defaults are those of an instance.
  public init(text: String, file: String) throws(ConfigErrors) {
    self = try ConfigDocument(text: text, file: file).read {
      Self(root: $0, of: DeviceInstance(configurationPath: file))
    }
  }

  private init(root: ConfigTable, of instance: DeviceInstance) {
    identity.stateDirectory = instance.stateDirectory
    control.socket = instance.socket
    Self.sections.read(root, into: &self)
    cameras = CameraReader.cameras(root, video)
    archive.complete(root.table("archive"), stateDirectory: identity.stateDirectory, video, audio)
    actions = ActionSettings.read(root.tables("action"))
    buttons = ButtonReader.buttons(root, actions: actions)
    privacyMasks = PrivacyMaskSettings.read(root, video, cameras)
    overlay = OverlaySettings.read(root.table("overlay"), video, location)
    events.sources = EventSourceReader.sources(root, cameras: cameras.map(\.name))
    events.check(root, video, audio, location)
    InputConflicts(actions, buttons, events.sources).check(root)
    plans = PlanReader.plans(root, events: events, video)
    eventRules = EventRuleReader.rules(root, self)
    PlanSettings.check(plans, root, self)
    publications = PublishReader.publications(root, video, audio, views: viewNames)
  }
}

/// `[device]`: who the device is.
public struct IdentitySettings: SettingGroup, Hashable {
  /// The name under which others find it, 1 to 128 bytes.
  public var title = ""
  public var upgradeRestart = UpgradeRestart.now
  public var stateDirectory = DeviceInstance.unnamed.stateDirectory

  public init() {}

  /// When an upgrade of the package restarts the daemon.
  public enum UpgradeRestart: String, Sendable, CaseIterable {
    case now
    case whenIdle = "when-idle"
    case never
  }

  static let settings: [Setting<IdentitySettings>] = [
    Setting(
      "title", \.title, .text("string, 1 to 128 bytes", parse: title), example: "\"Front gate\"", isRequired: true,
      isSampled: true, "The name under which others find this device."),
    Setting(
      "state_directory", \.stateDirectory, .absolutePath,
      "The folder of the device's certificate and recordings; of an instance /var/lib/livesessions@NAME by default."),
    Setting(
      "upgrade_restart", \.upgradeRestart, .choice(), effect: .reload,
      """
      When an upgrade of the package restarts the daemon: `now`; `when-idle`, as soon as there is neither call nor manual \
      recording, after 24 hours at the latest; `never`, which leaves that to you (guides/updates.md).
      """),
  ]

  private static func title(_ text: String, _ key: String) throws(ConfigValueError) -> String {
    guard (1...128).contains(text.utf8.count) else {
      throw ConfigValueError("\(key) must have 1 to 128 bytes")
    }
    return text
  }
}

/// `[control]`: the local control socket.
public struct ControlSettings: SettingGroup, Hashable {
  public var socket = DeviceInstance.unnamed.socket
  /// A second socket, for watching only; nil leaves it to systemd to pass one.
  public var monitorSocket: String?

  public init() {}

  static let settings: [Setting<ControlSettings>] = [
    Setting(
      "socket", \.socket, .absolutePath,
      "The socket of the `livesessions` command; of an instance /run/livesessions@NAME/control by default."),
    Setting(
      "monitor_socket", \.monitorSocket, .absolutePath, example: "\"/run/livesessions/monitor.sock\"",
      """
      A second socket on which status, archives and events (but no text of chats) can be seen and nothing be changed, \
      for the group `livesessions-monitor`. Under systemd `livesessionsd-monitor.socket` provides it; without it there \
      is no other.
      """),
  ]

  static func check(_ table: ConfigTable, _ settings: inout ControlSettings) {
    let paths = [("socket", settings.socket), ("monitor_socket", settings.monitorSocket ?? "")]
    for (key, path) in paths where path.utf8.count > 107 {
      table.addError("\(key) is longer than the 107 bytes that Linux permits", at: key)
    }
    if settings.monitorSocket == settings.socket {
      table.addError("monitor_socket is the same as socket", remedy: "give it another name", at: "monitor_socket")
    }
  }
}

/// `[log]`: what is logged.
public struct LogSettings: SettingGroup, Hashable {
  /// The levels of swift-log, by their names.
  public enum Level: String, Sendable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
  }

  public var level = Level.info

  public init() {}

  static let settings: [Setting<LogSettings>] = [
    Setting("level", \.level, .choice(), "Messages below this level are not logged.")
  ]
}

extension ConfigTable {
  /// Whether the file sets `key` to true; what else it may be is reported where the setting is read.
  func isTrue(_ key: String) -> Bool {
    if case .boolean(true)? = node(key)?.value { true } else { false }
  }
}
