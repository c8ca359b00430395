public import MediaCore

/// What rings at the device.
public enum RingSound: Sendable, Hashable {
  /// The built-in one.
  case tone
  /// At most a minute.
  case announcement(Announcement)
}
