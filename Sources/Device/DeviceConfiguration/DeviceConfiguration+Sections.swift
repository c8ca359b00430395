public import ConfigFile

extension DeviceConfiguration {
  /// The tables of `device.toml`, in the order in which the sample has them. What reads, documents, shows, changes and
  /// reloads settings follows from it.
  public static let sections: [SettingSection<DeviceConfiguration>] = [
    SettingSection("device", at: \.identity, "Who the device is.", settings: IdentitySettings.settings),
    SettingSection("hub", at: \.hub, "The hub at which the device is announced.", settings: HubSettings.settings),
    SettingSection(
      "video", at: \.video, "What is captured, and how it is encoded (guides/cameras.md).",
      settings: VideoSettings.settings, check: VideoSettings.check),
    CameraReader.section,
    PrivacyMaskSettings.section,
    OverlaySettings.section,
    SettingSection(
      "audio", at: \.audio, "What is captured, how it is encoded, and where callers are heard (guides/sound.md).",
      settings: AudioSettings.settings),
    SettingSection(
      "sounds", at: \.sounds,
      """
      What people near the device hear, on the speaker: WAV or Opus files of at most a minute, or texts such as \
      `"say: There is a visitor at the door"`, which espeak-ng speaks, where it is installed. The daemon's user must be \
      permitted to read the files; /home and /tmp are hidden from it.
      """, settings: SoundSettings.settings),
    SettingSection("calls", at: \.calls, effect: .reload, "How many calls at once.", settings: CallSettings.settings),
    SettingSection(
      "archive", at: \.archive, "Where recordings are kept, how long, and how they are cut (guides/recording.md).",
      settings: ArchiveSettings.settings, check: ArchiveSettings.check),
    SettingSection(
      "evidence", at: \.evidence,
      """
      A chain of signed statements about each recording, with which another machine can report whole from cut from \
      changed (guides/evidence.md): `livesessions archive verify --evidence FOLDER`.
      """, settings: EvidenceSettings.settings),
    SettingSection(
      "upload", at: \.upload, isSampled: false,
      """
      Each archive that has ended goes to a bucket of an S3-compatible store, or to a folder of a web server that takes \
      PUT, the manifest last (guides/upload.md).
      """, settings: UploadSettings.settings, check: UploadSettings.check),
    SettingSection(
      "network", at: \.network, "Where media flows (guides/network.md).", settings: NetworkSettings.settings,
      check: NetworkSettings.check),
    SettingSection(
      "location", at: \.location, effect: .reload, "Which position is published (guides/vehicle.md).",
      settings: LocationSettings.settings, check: LocationSettings.check),
    SettingSection(
      "control", at: \.control, "The local control sockets.", settings: ControlSettings.settings,
      check: ControlSettings.check),
    SettingSection(
      "http", at: \.http, isSampled: false, "Control by HTTP, for programs on this machine (reference/http.md).",
      settings: HTTPSettings.settings, check: HTTPSettings.check),
    PublishReader.section,
    SettingSection(
      "mqtt", at: \.mqtt, isSampled: false,
      "The device at a broker, for Home Assistant and others (guides/home-assistant.md, reference/mqtt.md).",
      settings: MQTTSettings.settings, check: MQTTSettings.check),
    SettingSection("telemetry", at: \.telemetry, "Figures for Prometheus.", settings: TelemetrySettings.settings),
    SettingSection("log", at: \.log, effect: .reload, "What is logged.", settings: LogSettings.settings),
    EventSourceReader.section,
    GeofenceReader.section,
    SettingSection(
      "events", at: \.events, effect: .reload, isSampled: false, "What all sources of events have in common.",
      settings: EventSettings.settings, check: EventSettings.check),
    PlanReader.section,
    EventRuleReader.section,
    SettingSection(
      "mail", at: \.mail, effect: .reload, isSampled: false, "How mails of [[event_rule]] leave the device.",
      settings: MailSettings.settings),
    ButtonReader.section,
    ActionSettings.section,
  ]
}
