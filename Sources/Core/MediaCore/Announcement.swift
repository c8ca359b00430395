/// What is played to people near the device.
public enum Announcement: Sendable, Hashable {
  /// A sound file, by its absolute path.
  case file(path: String)
  /// Text that a synthesizer speaks.
  case speech(Speech)

  /// The text and the voice that speaks it.
  public struct Speech: Sendable, Hashable {
    /// Without control characters; at most ``maxBytes`` of UTF-8.
    public let text: String
    /// The synthesizer's name for it, for example `en` or `de+f2`.
    public let voice: String

    public static let maxBytes = 1_000

    /// Nil for a text that is blank, too long or has control characters, or a name that is no voice's: letters, digits,
    /// `+`, `-` and `_`, at most 32, of which the first is a letter.
    public init?(_ text: String, voice: String) {
      guard (1...Self.maxBytes).contains(text.utf8.count), text.utf8.contains(where: { $0 != 0x20 }),
        text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }),
        Self.isVoice(voice)
      else { return nil }
      self.text = text
      self.voice = voice
    }

    /// Whether this voice may be passed to a synthesizer.
    public static func isVoice(_ name: String) -> Bool {
      guard let first = name.utf8.first, isLetter(first), name.utf8.count <= 32 else { return false }
      return name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x5F].contains($0) }
    }

    private static func isLetter(_ octet: UInt8) -> Bool { (0x61...0x7A).contains(octet | 0x20) }
  }
}
