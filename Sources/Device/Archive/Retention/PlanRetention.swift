import MediaCore
import Signalling

/// What recording plans keep of their archives.
///
/// A plan keeps the newest of its archives, up to its age and its bytes. An archive of several plans is kept for as long as
/// one of them keeps it.
struct PlanRetention {
  private let limits: ArchiveLimits
  private let now: Int64?
  /// Bytes of each plan's archives that are newer.
  private var newer: [String: UInt64] = [:]
  /// Those that no plan of theirs keeps.
  private(set) var expired: Set<ArchiveID> = []

  /// - Parameters:
  ///   - archives: all there are, the oldest first.
  ///   - now: milliseconds since 1970; `nil` while the clock is not synchronised.
  init(_ archives: [ArchiveHolding], limits: ArchiveLimits, now: Int64?) {
    self.limits = limits
    self.now = now
    for archive in archives.reversed() where limits.haveRule(for: archive) {
      if !isKept(archive) { expired.insert(archive.id) }
    }
  }

  private mutating func isKept(_ archive: ArchiveHolding) -> Bool {
    var isKept = false
    for name in archive.plans {
      guard let plan = limits.plans[name] else { continue }
      let bytes = (newer[name] ?? 0).saturatingAdding(archive.byteCount)
      newer[name] = bytes
      if bytes <= plan.maximumTotal ?? .max, !isOlder(archive, plan.maximumAge ?? limits.maximumAge) { isKept = true }
    }
    return isKept
  }

  private func isOlder(_ archive: ArchiveHolding, _ age: TimeSpan?) -> Bool {
    guard let now, let age, let end = archive.endedAt else { return false }
    return end < now.saturatingSubtracting(age.milliseconds)
  }
}

extension ArchiveLimits {
  /// Whether plans say how long it is kept.
  func haveRule(for archive: ArchiveHolding) -> Bool { archive.plans.contains { plans[$0] != nil } }

  /// Whether it goes first when room is needed.
  func yieldsRoom(_ archive: ArchiveHolding) -> Bool {
    !archive.plans.isEmpty && archive.plans.allSatisfy { plans[$0]?.yieldsRoom == true }
  }
}
