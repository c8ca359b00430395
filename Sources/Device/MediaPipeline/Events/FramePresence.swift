internal import MediaCore

/// Whether expected frames are missing: the camera is unplugged, or its driver hangs.
///
/// Judged by how many have come from one ``isMissing(now:)`` to the next, since cameras' time stamps are theirs.
struct FramePresence {
  private var count: UInt = 0
  private var countSeen: UInt = 0
  /// When ``isMissing(now:)`` found the last new one, or began to wait.
  private var since: MonotonicInstant?
  private var isMuted = false

  /// With a check each second it is reported in the fourth second.
  private static let timeout = TimeSpan.milliseconds(2_500)
  /// Until the first frame: some cameras take long to open.
  private static let firstTimeout = TimeSpan.seconds(10)

  /// A frame has come.
  mutating func note() { count &+= 1 }

  /// While muted no frames are expected.
  mutating func setMuted(_ isMuted: Bool) { (self.isMuted, since, countSeen) = (isMuted, nil, count) }

  /// The state at the first check.
  func begun() -> FramePresence {
    var presence = FramePresence()
    presence.isMuted = isMuted
    return presence
  }

  /// To be asked about once a second.
  mutating func isMissing(now: MonotonicInstant) -> Bool {
    guard !isMuted else { return false }
    guard let begin = since, count == countSeen else {
      (since, countSeen) = (now, count)
      return false
    }
    return now - begin >= (count == 0 ? Self.firstTimeout : Self.timeout)
  }
}
