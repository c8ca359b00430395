import MediaCore

/// Lets through only video frames that can be decoded from what was let through before.
///
/// After a gap in the frame numbers the missing frame may have been a reference, so everything waits for the next
/// key frame, and one is asked for, at most once a second.
struct VideoGate {
  private var nextNumber: UInt32?
  private(set) var isWaiting = true
  private var lastRequest: MonotonicInstant?

  private static let requestInterval = TimeSpan.seconds(1)

  /// Decides about the next frame of the stream.
  mutating func admits(_ frame: EncodedFrameHeader) -> Bool {
    if let nextNumber, frame.number != nextNumber { isWaiting = true }
    nextNumber = frame.number &+ 1
    if frame.isKeyFrame { isWaiting = false }
    return !isWaiting
  }

  /// The frame that was let through last is left out after all.
  mutating func close() { isWaiting = true }

  /// Whether a key frame has to be asked for now.
  ///
  /// - Parameter isWanted: whether there is another reason for one.
  mutating func needsRequest(isWanted: Bool = false, now: MonotonicInstant) -> Bool {
    guard isWaiting || isWanted else { return false }
    if let lastRequest, now - lastRequest < Self.requestInterval { return false }
    lastRequest = now
    return true
  }
}
