public import MediaCore
public import WebM

/// How archives are recorded.
public struct ArchiveConfiguration: Sendable {
  /// Recording neither starts nor continues with less space left.
  public var minimumFreeBytes: UInt64
  /// The recording ends when it has become larger; `nil` for no limit of its own.
  public var maximumByteCount: UInt64?
  /// After this time a stream continues in a new file, at its next key frame; `nil` makes one file a stream. At most
  /// ``segmentLimit`` files a stream are made; the last one is not split.
  public var segmentDuration: TimeSpan?
  /// Memory of a stream's inbox. The defaults outlast a disk that stalls for 20 s at 1 Mbit/s, and sound outlasts video
  /// down to 150 kbit/s, since sound matters most. An eighth at most is resident while the disk keeps up.
  public var audioRingBytes: Int
  public var videoRingBytes: Int
  public var timing: WebMTiming
  /// Of all archives that are recorded with this.
  public let waits = DiskWaits()

  /// Keeps a manifest that lists them all readable at one go.
  public static let segmentLimit = 2_000

  public init(
    minimumFreeBytes: UInt64 = 64 * 1024 * 1024, segmentDuration: TimeSpan? = nil, audioRingBytes: Int = 1536 * 1024,
    videoRingBytes: Int = 3 * 1024 * 1024, timing: WebMTiming = WebMTiming()
  ) {
    self.segmentDuration = segmentDuration
    self.minimumFreeBytes = minimumFreeBytes
    self.audioRingBytes = audioRingBytes
    self.videoRingBytes = videoRingBytes
    self.timing = timing
  }
}
