public import CallPolicy
import ConfigFile
public import MediaCore

/// `[sounds]`: what people near the device hear of what happens.
public struct SoundSettings: Sendable, Hashable {
  public enum Ringing: Sendable, Hashable {
    /// The built-in one.
    case tone
    case announcement(Announcement)
    case none
  }

  /// While a call waits for somebody at the device.
  public var ringing: Ringing
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
  public var volume: Int
  /// When nothing rings, and the ends of calls are not heard.
  public var quietHours: [WeeklyHours]

  /// Whatever is to be heard, but for built-in tones.
  public var announcements: [Announcement] {
    let rings: Announcement? = if case .announcement(let announcement) = ringing { announcement } else { nil }
    return [rings, answered, recording, ended, refused, action].compactMap(\.self)
  }

  init(_ table: ConfigTable) {
    let voice = table.value("voice", parse: Self.voice) ?? "en"
    ringing = table.value("ringing", parse: { text throws(ConfigValueError) in try Self.ringing(text, voice) }) ?? .tone
    answered = table.announcement("answered", voice: voice)
    recording = table.announcement("recording", voice: voice)
    ended = table.announcement("ended", voice: voice)
    refused = table.announcement("refused", voice: voice)
    action = table.announcement("action", voice: voice)
    volume = table.integer("volume", default: 0, in: -60...0)
    quietHours = table.weeklyHours("quiet_hours") ?? []
  }

  private static func ringing(_ text: String, _ voice: String) throws(ConfigValueError) -> Ringing {
    switch text {
    case "tone": return .tone
    case "none": return .none
    default:
      if let announcement = try announcement(text, voice) { return .announcement(announcement) }
      throw ConfigValueError(
        "ringing cannot be \"\(text)\"",
        remedy: "it is \"tone\", \"none\", the path of a sound file, beginning with /, or \"say: \" and words")
    }
  }

  private static func voice(_ name: String) throws(ConfigValueError) -> String {
    guard Announcement.Speech.isVoice(name) else {
      throw ConfigValueError(
        "voice cannot be \"\(name)\"", remedy: "espeak-ng --voices lists voices, such as en or de+f2")
    }
    return name
  }

  /// Nil for what is neither a path nor words to say.
  fileprivate static func announcement(_ text: String, _ voice: String) throws(ConfigValueError) -> Announcement? {
    if text.hasPrefix("/") { return .file(path: text) }
    guard text.hasPrefix("say:") else { return nil }
    let words = String(text.dropFirst(4).drop { $0 == " " })
    guard let speech = Announcement.Speech(words, voice: voice) else {
      throw ConfigValueError(
        "there is nothing to say",
        remedy: "write 1 to \(Announcement.Speech.mostBytes) bytes of text on one line after say:")
    }
    return .speech(speech)
  }
}

extension ConfigTable {
  /// A sound file's path, or words.
  fileprivate func announcement(_ key: String, voice: String) -> Announcement? {
    value(key) { text throws(ConfigValueError) in
      if let announcement = try SoundSettings.announcement(text, voice) { return announcement }
      throw ConfigValueError(
        "\(key) cannot be \"\(text)\"",
        remedy: "it is the path of a sound file, beginning with /, or \"say: \" and words")
    }
  }
}
