internal import MediaCore

/// When a key frame has to be sent.
struct KeyFrameSchedule {
  /// Frames were skipped for want of consumers, or the first one is to come.
  private var isNeeded = true
  private var last: MonotonicInstant?
  private var beforeLast: MonotonicInstant?

  /// Any second holds at most two key frames that were requested: two may follow each other at once, since a call that
  /// connects and its recording both begin with one.
  private static let window = TimeSpan.seconds(1)

  /// What is published next cannot refer to what was published last.
  mutating func require() { isNeeded = true }

  /// Whether a request may be answered now.
  func mayAnswer(at now: MonotonicInstant) -> Bool { beforeLast.map { now - $0 >= Self.window } ?? true }

  /// - Parameters:
  ///   - isRequested: a consumer waits for one.
  ///   - interval: between key frames at most; nil for any.
  func isDue(at now: MonotonicInstant, isRequested: Bool, interval: TimeSpan?) -> Bool {
    if isNeeded || isRequested && mayAnswer(at: now) { return true }
    guard let interval, let last else { return false }
    return now - last >= interval
  }

  mutating func noteKeyFrame(at now: MonotonicInstant) {
    (beforeLast, last, isNeeded) = (last, now, false)
  }
}
