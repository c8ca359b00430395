public import MediaCore

/// How long the archives of one recording plan are kept.
public struct PlanLimits: Hashable, Sendable {
  /// How long after their end; `nil` for as long as those of others.
  public var maximumAge: TimeSpan?
  /// Bytes of all of them together; `nil` for no limit of its own.
  public var maximumTotal: UInt64?
  /// Whether they go before all others when room is needed.
  public var yieldsRoom: Bool

  public init(maximumAge: TimeSpan? = nil, maximumTotal: UInt64? = nil, yieldsRoom: Bool = false) {
    self.maximumAge = maximumAge
    self.maximumTotal = maximumTotal
    self.yieldsRoom = yieldsRoom
  }
}

/// How much of the disk archives may take.
public struct ArchiveLimits: Hashable, Sendable {
  /// By the plans' names; archives of plans that are not here are kept as all others.
  public var plans: [String: PlanLimits] = [:]
  /// Whether, when room is needed, archives that an object store has go before all others.
  public var prefersUploaded = false
  /// Bytes of all archives together; `nil` for no limit.
  public var maximumTotal: UInt64?
  /// Bytes that recording leaves free: a recording stops when less is left.
  public var minimumFree: UInt64
  /// How long after its end an archive is deleted; `nil` to keep it for as long as there is space.
  public var maximumAge: TimeSpan?
  /// Bytes kept free beyond `minimumFree`, so that space is freed before a recording has to stop; at most a sixteenth of
  /// the disk counts. The default lasts for a minute at 16 Mbit/s.
  public var margin: UInt64

  public init(
    maximumTotal: UInt64? = nil, minimumFree: UInt64 = 64 * 1024 * 1024, maximumAge: TimeSpan? = nil,
    margin: UInt64 = 128 * 1024 * 1024
  ) {
    self.maximumTotal = maximumTotal
    self.minimumFree = minimumFree
    self.maximumAge = maximumAge
    self.margin = margin
  }

  /// What one recording of a call may take: half of what all archives may.
  public func share(in store: ArchiveStore) -> UInt64? {
    let disk = DiskState(path: store.root).map { $0.capacity - min($0.capacity, minimumFree) }
    return [maximumTotal, disk].compactMap(\.self).min().map { $0 / 2 }
  }

  /// Bytes to be kept free on a disk.
  func wantedFree(on disk: DiskState) -> UInt64 {
    let (sum, overflow) = minimumFree.addingReportingOverflow(min(margin, disk.capacity / 16))
    return overflow ? .max : sum
  }
}
