public import MediaCore
public import WebM

/// How archives are recorded.
public struct ArchiveConfiguration: Sendable {
  /// Recording neither starts nor goes on with less space left.
  public var minimumFreeBytes: UInt64
  /// After this time a stream goes on in a new file, at its next key frame; `nil` makes one file a stream. At most
  /// ``segmentLimit`` files a stream are made; the last one goes on.
  public var segmentDuration: TimeSpan?
  /// Memory of a stream's inbox. The defaults outlast a disk that stalls for 20 s at 1 Mbit/s.
  public var audioRingBytes: Int
  public var videoRingBytes: Int
  public var timing: WebMTiming

  /// Keeps a manifest that lists them all readable at one go.
  public static let segmentLimit = 2_000

  public init(
    minimumFreeBytes: UInt64 = 64 * 1024 * 1024, segmentDuration: TimeSpan? = nil, audioRingBytes: Int = 256 * 1024,
    videoRingBytes: Int = 3 * 1024 * 1024, timing: WebMTiming = WebMTiming()
  ) {
    self.segmentDuration = segmentDuration
    self.minimumFreeBytes = minimumFreeBytes
    self.audioRingBytes = audioRingBytes
    self.videoRingBytes = videoRingBytes
    self.timing = timing
  }
}
