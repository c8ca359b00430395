public import CallPolicy
public import ConfigFile
public import MediaCore

/// `[sounds]`: sounds near the device that report what happens.
public struct SoundSettings: SettingGroup, Hashable {
  public enum Ringing: Sendable, Hashable {
    /// The built-in one.
    case tone
    case announcement(Announcement)
    case none
  }

  /// While a call waits for an answer at the device.
  public var ringing = Ringing.tone
  /// In place of the two tones when media flows, where the policy has a tone.
  public var answered: Announcement?
  /// A recording of a call begins.
  public var recording: Announcement?
  /// A call is over.
  public var ended: Announcement?
  /// A call that this device placed was not answered.
  public var refused: Announcement?
  /// An action was done, such as the opening of a door.
  public var action: Announcement?
  /// How loud sounds are, in decibels of what their files hold; 0 or less.
  public var volume = 0
  /// When nothing rings, and the ends of calls are silent.
  public var quietHours: [WeeklyHours] = []
  /// That of espeak-ng by which texts are spoken.
  var voice = usualVoice

  private static let usualVoice = "en"

  /// All sounds but built-in tones.
  public var announcements: [Announcement] {
    let rings: Announcement? = if case .announcement(let announcement) = ringing { announcement } else { nil }
    return [rings, answered, recording, ended, refused, action].compactMap(\.self)
  }

  public init() {}

  static let settings: [Setting<SoundSettings>] = [
    Setting(
      "ringing", \.ringing,
      SettingType(
        "sound, \"tone\" or \"none\"", form: .text,
        read: { table, key in
          table.value(key) { text throws(ConfigValueError) in try ringing(text, voice(in: table)) }
        }, text: { $0 == .tone ? TOMLText.string("tone") : nil }),
      """
      What repeats while a call waits for an answer at the device (`action = "ring"` in policy.toml): `"tone"`, \
      `"none"`, a file or a text.
      """),
    Setting(
      "answered", \.answered, sound, example: "\"/usr/local/share/sounds/answered.wav\"",
      "In place of the two tones when a call has been answered, where the policy has a tone."),
    Setting(
      "recording", \.recording, sound, example: "\"/usr/local/share/sounds/recording.opus\"",
      "When the recording of a call begins."),
    Setting("ended", \.ended, sound, example: "\"/usr/local/share/sounds/ended.wav\"", "When a call has ended."),
    Setting(
      "refused", \.refused, sound, example: "\"say: There is no answer\"",
      "When a call that the device placed was not answered."),
    Setting(
      "action", \.action, sound, example: "\"/usr/local/share/sounds/open.wav\"",
      "When an [[action]] has been done, such as the opening of a door."),
    Setting(
      "voice", \.voice, .text("voice of espeak-ng", text: \.self, parse: voice),
      "The voice that speaks texts: `espeak-ng --voices` lists them."),
    Setting(
      "volume", \.volume, .integer(-60...0),
      "How loud these sounds are, and what `livesessions say` plays, in decibels of what the files hold."),
    Setting(
      "quiet_hours", \.quietHours, .weeklyHours, example: "\"daily 22:00-07:00\"",
      """
      When nothing rings, and `ended` and `refused` are silent; as `hours` in policy.toml. Without effect while the \
      clock is not synchronised.
      """),
  ]

  private static let sound = SettingType<Announcement>(
    "sound", form: .text, read: { $0.announcement($1, voice: voice(in: $0)) })

  /// That of the table, unless it is wrong.
  private static func voice(in table: ConfigTable) -> String {
    guard case .string(let name)? = table.node("voice")?.value else { return usualVoice }
    return (try? voice(name)) ?? usualVoice
  }

  private static func ringing(_ text: String, _ voice: String) throws(ConfigValueError) -> Ringing {
    switch text {
    case "tone": return .tone
    case "none": return .none
    default:
      if let announcement = try announcement(text, voice) { return .announcement(announcement) }
      throw ConfigValueError(
        "ringing cannot be \"\(text)\"",
        remedy: "it is \"tone\", \"none\", the path of a sound file, beginning with /, or \"say: \" and text")
    }
  }

  private static func voice(_ name: String) throws(ConfigValueError) -> String {
    guard Announcement.Speech.isVoice(name) else {
      throw ConfigValueError(
        "voice cannot be \"\(name)\"", remedy: "espeak-ng --voices lists voices, such as en or de+f2")
    }
    return name
  }

  /// Nil for what is neither a path nor text to say.
  fileprivate static func announcement(_ text: String, _ voice: String) throws(ConfigValueError) -> Announcement? {
    if text.hasPrefix("/") { return .file(path: text) }
    guard text.hasPrefix("say:") else { return nil }
    let speechText = String(text.dropFirst(4).drop { $0 == " " })
    guard let speech = Announcement.Speech(speechText, voice: voice) else {
      throw ConfigValueError(
        "there is nothing to say",
        remedy: "write 1 to \(Announcement.Speech.maxBytes) bytes of text on one line after say:")
    }
    return .speech(speech)
  }
}

extension ConfigTable {
  /// A sound file's path, or text.
  fileprivate func announcement(_ key: String, voice: String) -> Announcement? {
    value(key) { text throws(ConfigValueError) in
      if let announcement = try SoundSettings.announcement(text, voice) { return announcement }
      throw ConfigValueError(
        "\(key) cannot be \"\(text)\"",
        remedy: "it is the path of a sound file, beginning with /, or \"say: \" and text")
    }
  }
}
