public import MediaCore

/// Describes a frame that a camera delivered; its bytes travel beside it.
public struct CapturedFrame: Sendable, Hashable {
  public var format: PixelFormat
  public var width: Int
  public var height: Int
  /// Bytes from one row of the first plane to the next; 0 for MJPEG.
  public var bytesPerLine: Int
  /// Luma and chroma use all 256 values instead of 16 to 235 and 240. MJPEG always does, regardless of this.
  public var isFullRange: Bool
  /// When the driver says that it was captured, on CLOCK_MONOTONIC.
  public var timestamp: MonotonicInstant
  /// The driver's count; a gap means frames that were not fetched in time.
  public var sequence: UInt32
  /// The driver marked the content as damaged, or it could not be decoded: its bytes are unusable.
  public var isDamaged: Bool
}

/// How a wait for a frame ended.
public enum CaptureOutcome: Sendable, Hashable {
  case frame
  case timedOut
  /// The descriptor given to interrupt the wait became readable.
  case interrupted
}
