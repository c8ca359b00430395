/// What the archives take, and what their disk still holds.
public struct ArchiveUsage: Hashable, Sendable {
  public var disk: DiskState
  /// Bytes of all archives together.
  public var byteCount: UInt64
  public var limits: ArchiveLimits

  public init(disk: DiskState, byteCount: UInt64, limits: ArchiveLimits) {
    self.disk = disk
    self.byteCount = byteCount
    self.limits = limits
  }
}
