/// Where sound comes from.
public enum AudioSourceSelection: Hashable, Sendable {
  /// The first sound card that can capture, else the test tone.
  case automatic
  /// An ALSA name such as `default` or `hw:CARD=Device`.
  case device(String)
  /// A WAV file, in a loop or once and then silence.
  case file(path: String, repeats: Bool)
  /// Hertz.
  case testTone(frequency: Int)
  /// What a program writes.
  case program(AudioProgram)
  case none

  /// Reads `auto`, `test:tone`, `test:tone:440`, `file:/path/clip.wav`, `file:/path/clip.wav#once`, `none`, or an ALSA
  /// name; nil for another `test:` source or file.
  public init?(_ text: String) {
    let tone = "test:tone:"
    switch text {
    case "": return nil
    case "auto": self = .automatic
    case "test:tone": self = .testTone(frequency: 1_000)
    case "none": self = .none
    case _ where text.hasPrefix(tone):
      guard let frequency = Int(text.dropFirst(tone.count)), (20...20_000).contains(frequency) else { return nil }
      self = .testTone(frequency: frequency)
    case _ where text.hasPrefix("test:"): return nil
    case _ where text.hasPrefix("file:"): self.init(file: text.dropFirst("file:".count))
    default: self = .device(text)
    }
  }

  /// Whether it may pick up the loudspeaker.
  var isMicrophone: Bool {
    switch self {
    case .automatic, .device, .program: true
    case .file, .testTone, .none: false
    }
  }

  /// ALSA has a `file:` of its own, whose names do not end in `.wav`.
  private init?(file: Substring) {
    let once = "#once"
    let path = file.hasSuffix(once) ? file.dropLast(once.count) : file
    guard path.hasSuffix(".wav"), path.count > ".wav".count else { return nil }
    self = .file(path: String(path), repeats: path.count == file.count)
  }
}
