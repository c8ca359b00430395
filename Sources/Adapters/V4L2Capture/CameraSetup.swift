/// A device's settings before its format: its input, and the input's signal.
public struct CameraSetup: Hashable, Sendable {
  /// The standard of an analogue signal.
  public enum Standard: String, Hashable, Sendable, CaseIterable {
    case pal = "PAL"
    case ntsc = "NTSC"
    case secam = "SECAM"
  }

  /// What a camera filters out of the light of lamps.
  public enum PowerLine: Hashable, Sendable {
    case off
    /// 50 or 60 Hz.
    case hertz50, hertz60
    /// The camera finds out.
    case automatic
  }

  /// One of the inputs that the driver lists, by its name (`S-Video`) or its number; nil leaves it unchanged.
  public var input: String?
  /// Nil takes the one that the device detects, if it does.
  public var standard: Standard?
  /// Nil leaves it unchanged.
  public var powerLine: PowerLine?

  public init(input: String? = nil, standard: Standard? = nil, powerLine: PowerLine? = nil) {
    self.input = input
    self.standard = standard
    self.powerLine = powerLine
  }
}
