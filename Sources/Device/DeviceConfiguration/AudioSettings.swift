import ConfigFile
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
public struct AudioSettings: Sendable, Hashable {
  public var microphone: MicrophoneSource
  public var speaker: SpeakerSink
  /// What the microphone is captured and encoded in: 1 or 2.
  public var channels: Int
  public var bitrate: Bitrate
  /// Whether Opus sends nothing but a packet now and then while it is silent (discontinuous transmission).
  public var usesDiscontinuousTransmission: Bool
  public var echoCancellation: EchoCancellation
  /// By how many decibels steady noise is reduced while the loudspeaker plays.
  public var noiseReduction: Int
  /// The level that speech is brought to while the loudspeaker plays, in decibels of full scale; nil to leave it.
  public var speechLevel: Int?

  /// What is done about the loudspeaker being heard in the microphone.
  public enum EchoCancellation: String, Sendable, Hashable, CaseIterable {
    /// Both sides are heard at once.
    case fullDuplex = "full-duplex"
    /// The microphone is turned down while the loudspeaker plays.
    case halfDuplex = "half-duplex"
    case off
  }

  init(_ table: ConfigTable) {
    microphone = table.value("microphone", parse: Self.microphone) ?? .automatic
    speaker = table.value("speaker", parse: Self.speaker) ?? .automatic
    channels = table.integer("channels", default: 1, in: 1...2)
    bitrate = Bitrate(bitsPerSecond: table.bitrate("bitrate", default: 32_000, in: 6_000...510_000))
    usesDiscontinuousTransmission = table.bool("dtx", default: false)
    echoCancellation = table.choice("echo_cancellation") ?? .fullDuplex
    noiseReduction = table.integer("noise_reduction", default: 12, in: 0...30)
    speechLevel = table.integer("speech_level", in: -40 ... -6)
  }

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
