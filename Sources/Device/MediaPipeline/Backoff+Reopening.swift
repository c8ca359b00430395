internal import MediaCore

extension Backoff {
  /// The pauses before a device is opened again: 0.25 s, doubling up to 1.5 s, so that a device that comes back delivers
  /// within 3 s.
  static var reopening: Backoff { Backoff(initial: .milliseconds(250), maximum: .milliseconds(1_500)) }
}
