import MediaCore
public import Signalling

/// An archive as retention sees it.
public struct ArchiveHolding: Hashable, Sendable {
  public var id: ArchiveID
  /// Milliseconds since 1970; `nil` if it was recorded while the clock could not be trusted.
  public var endedAt: Int64?
  /// Bytes that it takes on the disk.
  public var byteCount: UInt64
  public var isRecording: Bool
  public var isLocked: Bool
  /// Whether an object store has all of it.
  public var isUploaded = false
  /// Who called; `nil` for a recording of the device alone.
  public var callerID: String?
  /// The recording plans that it was recorded for.
  public var plans: [String] = []

  public init(
    id: ArchiveID, endedAt: Int64?, byteCount: UInt64, isRecording: Bool = false, isLocked: Bool = false,
    callerID: String? = nil
  ) {
    self.id = id
    self.endedAt = endedAt
    self.byteCount = byteCount
    self.isRecording = isRecording
    self.isLocked = isLocked
    self.callerID = callerID
  }

  var isDeletable: Bool { !isRecording && !isLocked }

  /// No clock makes it older than what has passed since it ended.
  ///
  /// - Parameters:
  ///   - seconds: by a clock that no one sets.
  ///   - now: milliseconds since 1970.
  mutating func limitAge(to seconds: Int64, now: Int64) {
    let end = now.saturatingSubtracting(max(0, seconds).saturatingMultiplied(by: 1_000))
    endedAt = endedAt.map { max($0, end) }
  }
}

/// Decides which archives have to go. Decides only: see ``RetentionJob``.
///
/// The oldest goes first; but where the calls of one caller take more than half of what there is, the oldest of those, so
/// that long calls cannot push out others' recordings. One that is being recorded or locked never goes, and counts for
/// the total all the same. By age nothing goes while the clock is not trusted, and never an archive that was recorded
/// under such a clock. For free space nothing goes where all of them together would not suffice: then something else
/// fills the disk.
public enum ArchiveRetention {
  /// Which limit asks for a deletion.
  public enum Reason: String, Hashable, Sendable {
    case age = "older than max_age"
    case plan = "older than max_age of its recording plan, or beyond its max_total"
    case total = "all archives together are larger than max_total"
    case space = "less than min_free is left on the disk"
  }

  public struct Deletion: Hashable, Sendable {
    public var id: ArchiveID
    public var reason: Reason
  }

  /// - Parameters:
  ///   - archives: all there are, the oldest first.
  ///   - disk: `nil` if the system does not report it; then nothing goes for the sake of free space.
  ///   - now: milliseconds since 1970; `nil` while the clock is not synchronised.
  public static func plan(
    _ archives: [ArchiveHolding], limits: ArchiveLimits, disk: DiskState?, now: Int64?
  ) -> [Deletion] {
    var plan = RetentionPlan(archives, limits)
    if let now, let maximumAge = limits.maximumAge {
      plan.deleteEnded(before: now.saturatingSubtracting(maximumAge.milliseconds))
    }
    if !limits.plans.isEmpty { plan.delete(PlanRetention(archives, limits: limits, now: now).expired, .plan) }
    if let total = limits.maximumTotal { plan.deleteOldest(.total) { $0.kept > total } }
    if let disk, disk.free.saturatingAdding(plan.freed).saturatingAdding(plan.freeable) >= limits.minimumFree {
      let wanted = limits.wantedFree(on: disk)
      plan.deleteOldest(.space) { disk.free.saturatingAdding($0.freed) < wanted }
    }
    return plan.deletions
  }
}

/// A plan in the making.
private struct RetentionPlan {
  private var candidates: [ArchiveHolding]
  private let limits: ArchiveLimits
  private(set) var deletions: [ArchiveRetention.Deletion] = []
  /// Bytes.
  private(set) var kept: UInt64
  private(set) var freed: UInt64 = 0
  /// Bytes of each caller's archives.
  private var shares: [String: UInt64] = [:]

  init(_ archives: [ArchiveHolding], _ limits: ArchiveLimits) {
    self.limits = limits
    candidates = archives.filter(\.isDeletable)
    kept = archives.totalByteCount
    for archive in archives {
      archive.callerID.map { shares[$0] = (shares[$0] ?? 0).saturatingAdding(archive.byteCount) }
    }
  }

  /// Bytes of those that may still go.
  var freeable: UInt64 { candidates.totalByteCount }

  mutating func deleteEnded(before limit: Int64) {
    delete(Set(candidates.filter { ($0.endedAt ?? .max) < limit && !limits.haveRule(for: $0) }.map(\.id)), .age)
  }

  /// Deletes those of them that may go.
  mutating func delete(_ ids: Set<ArchiveID>, _ reason: ArchiveRetention.Reason) {
    let going = candidates.filter { ids.contains($0.id) }
    candidates.removeAll { ids.contains($0.id) }
    for archive in going { delete(archive, reason) }
  }

  /// Deletes the oldest one by one, for as long as `isNeeded` says so.
  mutating func deleteOldest(_ reason: ArchiveRetention.Reason, while isNeeded: (RetentionPlan) -> Bool) {
    while !candidates.isEmpty, isNeeded(self) { delete(candidates.remove(at: nextIndex), reason) }
  }

  /// Of the caller with more than half of all the oldest, if there is such a caller and one of them may go; else the oldest
  /// that is recorded by plans which yield room. Where uploaded ones are preferred, one of those in any case, if there is one.
  private var nextIndex: Int {
    if let caller = shares.first(where: { $0.value > kept / 2 })?.key,
      let index = firstIndex(where: { $0.callerID == caller })
    {
      return index
    }
    return firstIndex { _ in true } ?? 0
  }

  private func firstIndex(where isMeant: (ArchiveHolding) -> Bool) -> Int? {
    let safe = limits.prefersUploaded ? firstIndexInOrder { $0.isUploaded && isMeant($0) } : nil
    return safe ?? firstIndexInOrder(where: isMeant)
  }

  private func firstIndexInOrder(where isMeant: (ArchiveHolding) -> Bool) -> Int? {
    candidates.firstIndex { limits.yieldsRoom($0) && isMeant($0) } ?? candidates.firstIndex(where: isMeant)
  }

  private mutating func delete(_ archive: ArchiveHolding, _ reason: ArchiveRetention.Reason) {
    deletions.append(.init(id: archive.id, reason: reason))
    kept = kept.saturatingSubtracting(archive.byteCount)
    archive.callerID.map { shares[$0] = (shares[$0] ?? 0).saturatingSubtracting(archive.byteCount) }
    freed = freed.saturatingAdding(archive.byteCount)
  }
}

extension [ArchiveHolding] {
  /// A file system may report any size.
  var totalByteCount: UInt64 { reduce(0) { $0.saturatingAdding($1.byteCount) } }
}
