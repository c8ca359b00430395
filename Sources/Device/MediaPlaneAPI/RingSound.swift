/// What rings at the device.
public enum RingSound: Sendable, Hashable {
  /// The built-in one.
  case tone
  /// A WAV file of at most a minute.
  case file(path: String)
}
