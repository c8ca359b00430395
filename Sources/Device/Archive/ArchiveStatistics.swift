public import MediaCore

/// Counters of an archive in progress, all streams together.
public struct ArchiveStatistics: Hashable, Sendable {
  public var streams = 0
  public var audioFrames = 0
  public var videoFrames = 0
  /// Frames that the disk was too slow for, or that cannot be decoded since one before them was lost.
  public var droppedFrames = 0
  public var byteCount: UInt64 = 0
  /// The longest that the disk has taken to store one cluster.
  public var longestWriteMilliseconds: Int64 = 0

  /// When the oldest frame was captured that a power cut would cost; nil where all is on the disk.
  public var unflushedSince: MonotonicInstant?

  public init() {}

  mutating func add(_ other: ArchiveStatistics) {
    streams += other.streams
    audioFrames += other.audioFrames
    videoFrames += other.videoFrames
    droppedFrames += other.droppedFrames
    byteCount += other.byteCount
    longestWriteMilliseconds = max(longestWriteMilliseconds, other.longestWriteMilliseconds)
    unflushedSince = [unflushedSince, other.unflushedSince].compactMap(\.self).min()
  }
}
