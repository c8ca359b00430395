/// Where received sound is played.
public enum SpeakerSelection: Hashable, Sendable {
  /// The first sound card that can play; polled for while there is none.
  case automatic
  /// An ALSA name such as `default` or `plughw:CARD=Device,DEV=0`.
  case device(String)
  /// Decoded at the pace of the clock and thrown away; for tests.
  case testNull
  case none

  /// Reads `auto`, `test:null`, `none`, or an ALSA name; nil for another `test:` sink.
  public init?(_ text: String) {
    switch text {
    case "": return nil
    case "auto": self = .automatic
    case "test:null": self = .testNull
    case "none": self = .none
    case _ where text.hasPrefix("test:"): return nil
    default: self = .device(text)
    }
  }
}
