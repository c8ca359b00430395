public import ConfigFile
public import MediaCore

/// Where sound comes from.
public enum MicrophoneSource: Sendable, Hashable {
  case automatic
  /// An ALSA device such as `plughw:1,0`.
  case device(name: String)
  /// A WAV file, from the start again after its end or once.
  case file(path: String, repeats: Bool)
  /// A sine, for trials without hardware.
  case testTone
  /// What a program writes.
  case program(MicrophoneProgram)
  case none
}

/// Where the caller is heard.
public enum SpeakerSink: Sendable, Hashable {
  case automatic
  /// An ALSA device such as `plughw:1,0`.
  case device(name: String)
  case none
}

/// `[audio]`: what is captured, how it is encoded, and where callers are heard.
public struct AudioSettings: SettingGroup, Hashable {
  public var microphone = MicrophoneSource.automatic
  public var speaker = SpeakerSink.automatic
  /// What the microphone is captured and encoded in: 1 or 2.
  public var channels = 1
  public var bitrate = Bitrate.kilobits(32)
  /// Whether Opus sends only occasional packets during silence (discontinuous transmission).
  public var usesDiscontinuousTransmission = false
  public var echoCancellation = EchoCancellation.fullDuplex
  /// By how many decibels steady noise is reduced while the loudspeaker plays.
  public var noiseReduction = 12
  /// The level that speech is brought to while the loudspeaker plays, in decibels of full scale; nil to leave it.
  public var speechLevel: Int?

  /// What is done about the loudspeaker's echo in the microphone.
  public enum EchoCancellation: String, Sendable, Hashable, CaseIterable {
    /// Full duplex: both sides are audible at once.
    case fullDuplex = "full-duplex"
    /// The microphone is turned down while the loudspeaker plays.
    case halfDuplex = "half-duplex"
    case off
  }

  public init() {}

  static let settings: [Setting<AudioSettings>] = [
    Setting(
      "microphone", \.microphone,
      SettingType(
        "audio source",
        read: { table, key in
          table.value(key, parse: microphone) { SourceProgramReader(table: $0).microphone().map { .program($0) } }
        }, text: { $0 == .automatic ? TOMLText.string("auto") : nil }),
      """
      `"auto"`, an ALSA name (see `arecord -L`), `"file:/path/clip.wav"` (repeated; with `#once` behind it once), \
      `"test:tone"` or `"none"`; or a program that writes sound, `{ exec = ["program", "argument"], format = "s16le", \
      rate = 48000, channels = 1 }` (guides/cameras-by-program.md).
      """),
    Setting(
      "speaker", \.speaker, .text("audio sink", text: { $0 == .automatic ? "auto" : nil }, parse: speaker),
      "Where callers are heard: `\"auto\"`, an ALSA name (see `aplay -L`) or `\"none\"`."),
    Setting("channels", \.channels, .integer(1...2), "1, or 2 for stereo."),
    Setting("bitrate", \.bitrate, .bitrate(6_000...510_000), "Bit rate of the encoded audio."),
    Setting(
      "dtx", \.usesDiscontinuousTransmission, .bool,
      """
      Send almost nothing while it is silent (discontinuous transmission). Saves bandwidth; a quiet place sounds a \
      little less natural.
      """),
    Setting(
      "echo_cancellation", \.echoCancellation, .choice(),
      """
      What happens to the loudspeaker's sound in the microphone: `"full-duplex"` cancels the echo, so that both sides \
      can speak at once; `"half-duplex"` turns the microphone down while the loudspeaker plays, for rooms where \
      cancellation fails; `"off"` leaves the echo in.
      """),
    Setting(
      "noise_reduction", \.noiseReduction, .integer(0...30),
      "By how many decibels steady noise is reduced while the loudspeaker plays; 0 turns it off."),
    Setting(
      "speech_level", \.speechLevel, .integer(-40 ... -6), example: "-23",
      """
      Bring the speech of people near the device to this level, in decibels of full scale. Without it speech stays as \
      loud as the sound card delivers it.
      """),
  ]

  private static func microphone(_ text: String) throws(ConfigValueError) -> MicrophoneSource {
    switch text {
    case "auto": return .automatic
    case "none": return .none
    case "test:tone": return .testTone
    case _ where text.hasPrefix(SourceFile.prefix):
      let file = try SourceFile(text, key: "microphone", example: "file:/srv/clip.wav")
      return .file(path: file.path, repeats: file.repeats)
    default:
      let special = "\"auto\", \"file:/…\", \"test:tone\", \"none\""
      return .device(name: try checkDevice(text, key: "microphone", special: special))
    }
  }

  private static func speaker(_ text: String) throws(ConfigValueError) -> SpeakerSink {
    switch text {
    case "auto": .automatic
    case "none": .none
    default: .device(name: try checkDevice(text, key: "speaker", special: "\"auto\", \"none\""))
    }
  }

  private static func checkDevice(_ text: String, key: String, special: String) throws(ConfigValueError) -> String {
    let isName = !text.isEmpty && !text.hasPrefix("/") && !text.hasPrefix("test:") && !text.hasPrefix("file:")
    guard isName else {
      throw ConfigValueError(
        "\(key) cannot be \"\(text)\"", remedy: "it is \(special) or a name that `arecord -L` lists")
    }
    return text
  }
}
