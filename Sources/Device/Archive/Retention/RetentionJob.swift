import Locking
import Signalling

/// Keeps archives within their limits, by deleting the oldest.
///
/// Safe from any thread; ``keep()`` blocks on the disk, so call it from a thread that may, or let an
/// ``RetentionThread`` do so.
public final class RetentionJob: Sendable {
  /// What the job learns of the world; tests make their own.
  struct Surroundings: Sendable {
    /// Milliseconds since 1970; `nil` while the clock is not synchronised.
    var now: @Sendable () -> Int64?
    var disk: @Sendable () -> DiskState?

    static func system(_ store: ArchiveStore) -> Surroundings {
      Surroundings(
        now: { WallClock.isSynchronized ? WallClock.milliseconds() : nil }, disk: { DiskState(path: store.root) })
    }
  }

  private struct Work {
    var survey = ArchiveSurvey()
    var ledger: ArchiveLedger
    var foreignCount = 0
    var exhausted: Set<ArchiveRetention.Reason> = []
    /// Failures that have been reported.
    var failures: [ArchiveID: ArchiveError] = [:]
    /// Why the folder could not be looked through the last time.
    var unreadable: ArchiveError?
  }

  private let store: ArchiveStore
  private let surroundings: Surroundings
  private let limits: Mutex<ArchiveLimits>
  private let work: Mutex<Work>
  private let lastUsage = Mutex<ArchiveUsage?>(nil)

  public convenience init(store: ArchiveStore, limits: ArchiveLimits) {
    self.init(store: store, limits: limits, surroundings: .system(store))
  }

  init(store: ArchiveStore, limits: ArchiveLimits, surroundings: Surroundings) {
    self.store = store
    self.surroundings = surroundings
    self.limits = Mutex(limits)
    work = Mutex(Work(ledger: ArchiveLedger(root: store.root)))
  }

  /// Whether there is too little space now; costs one system call.
  public var isSpaceShort: Bool {
    guard let disk = surroundings.disk() else { return false }
    lastUsage.withLock { $0?.disk = disk }
    return disk.free < limits.withLock { $0 }.wantedFree(on: disk)
  }

  /// Keeps the archives of plans as this says from the next ``keep(notesOrder:)`` on.
  public func setPlans(_ plans: [String: PlanLimits]) { limits.withLock { $0.plans = plans } }

  /// Whether the last `keep()` left a limit exceeded since nothing may be deleted.
  public var isExhausted: Bool { work.withLock { !$0.exhausted.isEmpty } }

  /// What the archives and their disk hold, as looked at last; asks nobody, so it never waits for a disk.
  public var usage: ArchiveUsage? { lastUsage.withLock { $0 } }

  /// Deletes what has to go.
  ///
  /// - Parameter notesOrder: writes down in which order archives came, if that has changed. It makes the disk flush, for
  ///   which the clusters of a recording would wait; so it is for the start, and for when one has ended.
  /// - Returns: what was done, and what is new about what cannot be done; mostly nothing.
  public func keep(notesOrder: Bool = true) -> [ArchiveKeeping] {
    work.withLock { work in
      do throws(ArchiveError) {
        let reports = try keep(&work, notesOrder)
        work.unreadable = nil
        return reports
      } catch {
        defer { work.unreadable = error }
        return error == work.unreadable ? [] : [.unreadable(error)]
      }
    }
  }

  private func keep(_ work: inout Work, _ notesOrder: Bool) throws(ArchiveError) -> [ArchiveKeeping] {
    let found = try work.survey.look(at: store)
    work.ledger.note(found.beginnings)
    if notesOrder { work.ledger.store(root: store.root) }
    let holdings = inOrder(found.holdings, work.ledger)
    let limits = limits.withLock { $0 }
    let plan = ArchiveRetention.plan(holdings, limits: limits, disk: surroundings.disk(), now: surroundings.now())
    let foreign = foreignReport(found.foreign, &work)
    let (deletions, deleted) = carryOut(plan, holdings, limits, &work)
    let left = deleted.isEmpty ? holdings : holdings.filter { !deleted.contains($0.id) }
    noteUsage(left, limits)
    return foreign + deletions + exhaustionReport(left, limits, &work)
  }

  private func inOrder(_ holdings: [ArchiveHolding], _ ledger: ArchiveLedger) -> [ArchiveHolding] {
    let places = Dictionary(holdings.indices.map { (holdings[$0].id, $0) }) { first, _ in first }
    return ledger.ids.compactMap { places[$0].map { holdings[$0] } }
  }

  /// - Returns: what is to be said, and what is not there any more.
  private func carryOut(
    _ plan: [ArchiveRetention.Deletion], _ holdings: [ArchiveHolding], _ limits: ArchiveLimits, _ work: inout Work
  ) -> ([ArchiveKeeping], Set<ArchiveID>) {
    guard !plan.isEmpty else { return ([], []) }
    let sizes = Dictionary(holdings.map { ($0.id, $0.byteCount) }) { first, _ in first }
    var (reports, deleted) = ([ArchiveKeeping](), Set<ArchiveID>())
    for deletion in plan where isStillNeeded(deletion, limits) {
      if let error = delete(deletion.id, &work) {
        guard work.failures.updateValue(error, forKey: deletion.id) != error else { continue }
        reports.append(.deletionFailed(deletion.id, error))
      } else {
        deleted.insert(deletion.id)
        reports.append(.deleted(deletion.id, byteCount: sizes[deletion.id] ?? 0, deletion.reason))
      }
    }
    return (reports, deleted)
  }

  private func noteUsage(_ left: [ArchiveHolding], _ limits: ArchiveLimits) {
    guard let disk = surroundings.disk() else { return }
    lastUsage.withLock { $0 = ArchiveUsage(disk: disk, byteCount: left.totalByteCount, limits: limits) }
  }

  /// Deleting may have freed more than the sizes promised.
  private func isStillNeeded(_ deletion: ArchiveRetention.Deletion, _ limits: ArchiveLimits) -> Bool {
    deletion.reason != .space || isSpaceShort
  }

  private func delete(_ id: ArchiveID, _ work: inout Work) -> ArchiveError? {
    work.survey.forget(id)
    do {
      try store.delete(id, sparesForeign: true)
      work.failures[id] = nil
      return nil
    } catch {
      return error
    }
  }

  private func foreignReport(_ foreign: [String], _ work: inout Work) -> [ArchiveKeeping] {
    guard foreign.count != work.foreignCount else { return [] }
    work.foreignCount = foreign.count
    return foreign.first.map { [.foreign(count: foreign.count, example: $0)] } ?? []
  }

  private func exhaustionReport(
    _ left: [ArchiveHolding], _ limits: ArchiveLimits, _ work: inout Work
  ) -> [ArchiveKeeping] {
    var reasons: Set<ArchiveRetention.Reason> = []
    if let total = limits.maximumTotal, left.totalByteCount > total { reasons.insert(.total) }
    if isSpaceShort { reasons.insert(.space) }
    defer { work.exhausted = reasons }
    return reasons.isEmpty || reasons == work.exhausted ? [] : [.exhausted(reasons)]
  }
}
