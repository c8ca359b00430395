public import CallPolicy
import ConfigFile

/// `[sounds]`: what people near the device hear of what happens.
public struct SoundSettings: Sendable, Hashable {
  public enum Ringing: Sendable, Hashable {
    /// The built-in one.
    case tone
    case file(path: String)
    case none
  }

  /// While a call waits for somebody at the device.
  public var ringing: Ringing
  /// In place of the two tones when media flows, where the policy has a tone. Path of a WAV file, as of those below.
  public var answered: String?
  /// A recording of a call begins.
  public var recording: String?
  /// A call is over.
  public var ended: String?
  /// A call that this device placed was not answered.
  public var refused: String?
  /// An action was done, such as the opening of a door.
  public var action: String?
  /// How loud sounds are, in decibels of what their files hold; 0 or less.
  public var volume: Int
  /// When nothing rings, and the ends of calls are not heard.
  public var quietHours: [WeeklyHours]

  init(_ table: ConfigTable) {
    ringing = table.value("ringing", parse: Self.ringing) ?? .tone
    answered = table.absolutePath("answered")
    recording = table.absolutePath("recording")
    ended = table.absolutePath("ended")
    refused = table.absolutePath("refused")
    action = table.absolutePath("action")
    volume = table.integer("volume", default: 0, in: -60...0)
    quietHours = table.weeklyHours("quiet_hours") ?? []
  }

  private static func ringing(_ text: String) throws(ConfigValueError) -> Ringing {
    switch text {
    case "tone": return .tone
    case "none": return .none
    case _ where text.hasPrefix("/"): return .file(path: text)
    default:
      throw ConfigValueError(
        "ringing cannot be \"\(text)\"", remedy: "it is \"tone\", \"none\" or the path of a WAV file, beginning with /")
    }
  }
}
