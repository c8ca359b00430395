internal import MediaCore

extension Backoff {
  /// The pauses before a device is opened again: 0.25 s, doubling up to 1.5 s, so that a device that comes back delivers
  /// within 3 s.
  static var reopening: Backoff { Backoff(initial: .milliseconds(250), maximum: .milliseconds(1_500)) }

  /// The pauses before a program is started again, which costs a process each time.
  static var restarting: Backoff { Backoff(initial: .milliseconds(250), maximum: .seconds(10)) }
}
