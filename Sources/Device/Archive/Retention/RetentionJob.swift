import SystemSupport
import MediaCore
import Signalling

/// Keeps archives within their limits, by deleting the oldest.
///
/// Safe from any thread; ``keep()`` blocks on the disk, so call it from a thread that may, or let an
/// ``RetentionThread`` do so.
public final class RetentionJob: Sendable {
  /// What the job learns of the world; tests make their own.
  struct Surroundings: Sendable {
    /// Milliseconds since 1970 by which archives become too old; `nil` while nothing can be said.
    var now: @Sendable () -> Int64?
    /// By the monotonic clock.
    var moment: @Sendable () -> BootMoment
    var disk: @Sendable () -> DiskState?

    init(
      now: @escaping @Sendable () -> Int64?, moment: @escaping @Sendable () -> BootMoment,
      disk: @escaping @Sendable () -> DiskState?
    ) {
      (self.now, self.moment, self.disk) = (now, moment, disk)
    }

    init(_ clock: RetentionClock, disk: @escaping @Sendable () -> DiskState?) {
      let now: @Sendable () -> Int64? = {
        defer { clock.save() }
        return clock.now()
      }
      self.init(now: now, moment: { clock.moment }, disk: disk)
    }
  }

  private struct Work {
    var survey = ArchiveSurvey()
    var ledger: ArchiveLedger
    var foreignCount = 0
    var exhausted: Set<ArchiveRetention.Reason> = []
    /// Failures that have been reported.
    var failures: [ArchiveID: ArchiveError] = [:]
    /// Those that were being recorded at the last survey.
    var recording: Set<ArchiveID> = []
    /// Why the folder could not be listed the last time.
    var unreadable: ArchiveError?
  }

  private let store: ArchiveStore
  private let surroundings: Surroundings
  private let limits: Mutex<ArchiveLimits>
  private let work: Mutex<Work>
  private let lastUsage = Mutex<ArchiveUsage?>(nil)

  /// - Parameter clock: by which archives become too old.
  public convenience init(store: ArchiveStore, limits: ArchiveLimits, clock: RetentionClock = RetentionClock(path: nil))
  {
    self.init(
      store: store, limits: limits,
      surroundings: Surroundings(clock, disk: { DiskState(path: store.root) }))
  }

  init(store: ArchiveStore, limits: ArchiveLimits, surroundings: Surroundings) {
    self.store = store
    self.surroundings = surroundings
    self.limits = Mutex(limits)
    work = Mutex(Work(ledger: ArchiveLedger(root: store.root, boot: surroundings.moment().boot)))
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

  /// What the archives and their disk hold, as of the last survey; never waits for a disk.
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
    let found = try work.survey.check(at: store)
    let moment = surroundings.moment().milliseconds / 1_000
    work.ledger.note(found.beginnings)
    noteEnds(found.holdings, at: moment, &work)
    if notesOrder { work.ledger.store(root: store.root) }
    let now = surroundings.now()
    let holdings = inOrder(found.holdings, work.ledger, now: now, sinceBoot: moment)
    let limits = limits.withLock { $0 }
    let plan = ArchiveRetention.plan(holdings, limits: limits, disk: surroundings.disk(), now: now)
    let foreign = foreignReport(found.foreign, &work)
    let (deletions, deleted) = carryOut(plan, holdings, limits, &work)
    let left = deleted.isEmpty ? holdings : holdings.filter { !deleted.contains($0.id) }
    noteUsage(left, limits)
    return foreign + deletions + exhaustionReport(left, limits, &work)
  }

  /// Those that were being recorded at the last survey and are not any more have ended within this boot.
  private func noteEnds(_ holdings: [ArchiveHolding], at moment: Int64, _ work: inout Work) {
    let recording = Set(holdings.lazy.filter(\.isRecording).map(\.id))
    work.ledger.noteEnds(of: work.recording.subtracting(recording), at: moment)
    work.recording = recording
  }

  /// - Parameter sinceBoot: seconds.
  private func inOrder(
    _ holdings: [ArchiveHolding], _ ledger: ArchiveLedger, now: Int64?, sinceBoot: Int64
  ) -> [ArchiveHolding] {
    let places = Dictionary(holdings.indices.map { (holdings[$0].id, $0) }) { first, _ in first }
    let ends = ledger.ends
    return ledger.ids.compactMap { id in
      guard var holding = places[id].map({ holdings[$0] }) else { return nil }
      if let now, let end = ends[id] { holding.limitAge(to: sinceBoot.saturatingSubtracting(end), now: now) }
      return holding
    }
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
