import MediaCore

/// Numbers the frames that are delivered and keeps their times in order, also when the peer changes its source.
struct FrameSequence {
  private(set) var count: UInt64 = 0
  private var nextNumber: UInt32 = 0
  private var firstTimestamp: MonotonicInstant?
  private var lastTimestamp = MonotonicInstant(nanoseconds: .min)

  private static var startUp: TimeSpan { .seconds(1) }

  /// Leaves a gap in the numbers, which shows the archive that frames are missing.
  mutating func noteLoss(_ count: Int = 1) { nextNumber &+= UInt32(clamping: count) }

  /// Whether a frame of this length comes, as the stream begins, so soon after the last one that it must have waited
  /// somewhere: a peer that has just connected may send what it captured before.
  func isBacklog(at timestamp: MonotonicInstant, lasting duration: TimeSpan) -> Bool {
    guard let firstTimestamp, timestamp - firstTimestamp < Self.startUp else { return false }
    return timestamp - lastTimestamp < TimeSpan(nanoseconds: duration.nanoseconds / 2)
  }

  /// Returns the next frame's number and its time, which is not before the last frame's.
  mutating func advance(to timestamp: MonotonicInstant) -> (number: UInt32, timestamp: MonotonicInstant) {
    defer {
      count += 1
      nextNumber &+= 1
    }
    lastTimestamp = max(timestamp, lastTimestamp)
    firstTimestamp = firstTimestamp ?? timestamp
    return (nextNumber, lastTimestamp)
  }
}
