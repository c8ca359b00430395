public import WebM

/// How archives are recorded.
public struct ArchiveConfiguration: Sendable {
  /// Recording neither starts nor goes on with less space left.
  public var minimumFreeBytes: UInt64
  /// Memory of a stream's inbox. The defaults outlast a disk that stalls for 20 s at 1 Mbit/s.
  public var audioRingBytes: Int
  public var videoRingBytes: Int
  public var timing: WebMTiming

  public init(
    minimumFreeBytes: UInt64 = 64 * 1024 * 1024, audioRingBytes: Int = 256 * 1024,
    videoRingBytes: Int = 3 * 1024 * 1024, timing: WebMTiming = WebMTiming()
  ) {
    self.minimumFreeBytes = minimumFreeBytes
    self.audioRingBytes = audioRingBytes
    self.videoRingBytes = videoRingBytes
    self.timing = timing
  }
}
