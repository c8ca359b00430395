import MediaCore

/// Numbers the frames that are handed on and keeps their times in order, also when the peer changes its source.
struct FrameSequence {
  private(set) var count: UInt64 = 0
  private var nextNumber: UInt32 = 0
  private var lastTimestamp = MonotonicInstant(nanoseconds: .min)

  /// Leaves a gap in the numbers, which tells the archive that frames are missing.
  mutating func noteLoss(_ count: Int = 1) { nextNumber &+= UInt32(clamping: count) }

  /// Returns the next frame's number and its time, which is not before the last frame's.
  mutating func advance(to timestamp: MonotonicInstant) -> (number: UInt32, timestamp: MonotonicInstant) {
    defer {
      count += 1
      nextNumber &+= 1
    }
    lastTimestamp = max(timestamp, lastTimestamp)
    return (nextNumber, lastTimestamp)
  }
}
