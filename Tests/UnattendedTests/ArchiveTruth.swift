import MediaCore
import Signalling
import Testing

@testable import Archive

/// What is known of an archive whatever its manifest says.
struct ArchiveTruth: Equatable {
  /// The how manyth it is.
  var number: Int
  /// Milliseconds since 1970, by true time; nil while it is recorded.
  var end: Int64?
  var plans: [String]
  var isLocked = false
  /// Whether the clock could be trusted when it began.
  var isTimeKnown: Bool
}

/// Judges each deletion, and what is left, by rules of its own.
struct RetentionOracle {
  let limits: ArchiveLimits
  /// Milliseconds that a trusted clock may have been wrong by, at the archive's end and now, and that steps are long.
  let tolerance: Int64 = 2 * 3_700_000
  var archives: [ArchiveID: ArchiveTruth] = [:]
  private(set) var deletions: [ArchiveRetention.Reason: Int] = [:]

  /// How long an archive may be kept by its age, in milliseconds.
  func allowance(_ archive: ArchiveTruth) -> Int64 {
    archive.plans.map(allowance).max() ?? allowance(limits.maximumAge)
  }

  private func allowance(_ plan: String) -> Int64 { allowance(limits.plans[plan]?.maximumAge ?? limits.maximumAge) }

  private func allowance(_ age: TimeSpan?) -> Int64 { age?.milliseconds ?? 1_000 * 365 * 86_400_000 }

  /// - Parameters:
  ///   - sizes: bytes on the disk of all archives before the deletion.
  ///   - now: true time.
  mutating func evaluate(_ keeping: ArchiveKeeping, sizes: inout [ArchiveID: UInt64], now: Int64) {
    guard case .deleted(let id, _, let reason) = keeping else {
      Issue.record("\(keeping)")
      return
    }
    guard let victim = archives.removeValue(forKey: id), let end = victim.end else {
      Issue.record("\(id) was deleted, which was not there, or recorded")
      return
    }
    deletions[reason, default: 0] += 1
    #expect(!victim.isLocked, "\(id) was locked")
    let age = now - end + tolerance
    switch reason {
    case .age: #expect(victim.isTimeKnown && age >= allowance(victim), "\(id) of \(victim.plans) went too early")
    case .plan:
      for plan in victim.plans where !(victim.isTimeKnown && age >= allowance(plan)) {
        #expect(isBeyond(plan, victim, id, sizes), "\(id) of \(victim.plans) went too early for \(plan)")
      }
    case .total: evaluateRoom(victim, isShort: sizes.values.reduce(0, +) > limits.maximumTotal ?? .max)
    case .space: evaluateRoom(victim, isShort: true)
    }
    sizes[id] = nil
  }

  /// Whether newer ones, and this one, take more than what the plan may. What is being recorded grows meanwhile.
  private func isBeyond(_ plan: String, _ victim: ArchiveTruth, _ id: ArchiveID, _ sizes: [ArchiveID: UInt64]) -> Bool {
    let newer = archives.filter { $0.value.plans.contains(plan) && $0.value.number > victim.number }
    let bytes = newer.keys.reduce(sizes[id] ?? 0) { $0 + (sizes[$1] ?? 0) }
    return bytes + 65_536 > limits.plans[plan]?.maximumTotal ?? .max
  }

  /// The oldest goes, and first those of plans that yield room.
  private func evaluateRoom(_ victim: ArchiveTruth, isShort: Bool) {
    #expect(isShort, "there was room for number \(victim.number)")
    let others = archives.values.filter { !$0.isLocked && $0.end != nil && yieldsRoom($0) == yieldsRoom(victim) }
    #expect(
      others.allSatisfy { $0.number > victim.number }, "number \(victim.number) of \(victim.plans) was not the oldest")
    if !yieldsRoom(victim) {
      #expect(!archives.values.contains { !$0.isLocked && $0.end != nil && yieldsRoom($0) }, "others yield room")
    }
  }

  private func yieldsRoom(_ archive: ArchiveTruth) -> Bool {
    !archive.plans.isEmpty && archive.plans.allSatisfy { limits.plans[$0]?.yieldsRoom == true }
  }

  /// What should have gone for its age.
  func overdue(now: Int64, step: Int64) -> [ArchiveTruth] {
    archives.values.filter { archive in
      guard let end = archive.end, archive.isTimeKnown, !archive.isLocked else { return false }
      return now - end > allowance(archive) + tolerance + step
    }
  }
}
