import MediaCore
import Signalling

/// The archives of all plans: one after another that plans share, and others that each time-lapse has for itself, since
/// it has its own frames and must not be split.
///
/// Decides only, as ``PlannedRecording`` does.
struct PlanRecordings: Sendable {
  private var plans: [RecordingPlan] = []
  private var shared = PlannedRecording()
  /// By the names of their plans, also of some that are gone or are no time-lapses any more: those end their archives.
  private var timeLapses: [String: PlannedRecording] = [:]

  /// An archive of a time-lapse is small, and a new one begins with the next day.
  static let timeLapseSpan = TimeSpan.seconds(86_400)

  /// Takes over plans. Archives continue for those that are unchanged, also in another order.
  mutating func setPlans(_ plans: [RecordingPlan]) {
    self.plans = plans
    for plan in plans where plan.timeLapse != nil && timeLapses[plan.name] == nil {
      timeLapses[plan.name] = PlannedRecording(span: Self.timeLapseSpan)
    }
    timeLapses = timeLapses.filter { isTimeLapse($0.key) || !$0.value.isIdle }
  }

  private func isTimeLapse(_ plan: String) -> Bool { plans.contains { $0.name == plan && $0.timeLapse != nil } }

  /// What is recorded for a plan.
  subscript(plan: String) -> PlannedRecording { isTimeLapse(plan) ? timeLapses[plan] ?? shared : shared }

  /// The archive that plans share which want something recorded; nil where none does.
  private func sharedArchive(_ wanted: [String]) -> PlannedArchive? {
    let plans = plans.filter { $0.timeLapse == nil && wanted.contains($0.name) }
    return plans.isEmpty ? nil : PlannedArchive(plans)
  }

  private func timeLapseArchive(_ name: String, _ wanted: [String]) -> PlannedArchive? {
    guard wanted.contains(name) else { return nil }
    return plans.first { $0.name == name && $0.timeLapse != nil }.map { PlannedArchive([$0]) }
  }

  /// What has to be done now; call again until there is nothing.
  mutating func nextStep(wanted: [String], now: MonotonicInstant) -> PlannedRecording.Step? {
    if let step = shared.nextStep(wanted: sharedArchive(wanted), now: now) { return step }
    for name in timeLapses.keys.sorted() {
      let archive = timeLapseArchive(name, wanted)
      if let step = timeLapses[name]?.nextStep(wanted: archive, now: now) { return step }
    }
    return nil
  }

  /// When ``nextStep(wanted:now:)`` has something to say, if nothing happens before.
  func nextDeadline(wanted: [String]) -> MonotonicInstant? {
    let own = timeLapses.compactMap { $1.nextDeadline(wanted: timeLapseArchive($0, wanted)) }
    return (own + [shared.nextDeadline(wanted: sharedArchive(wanted))].compactMap(\.self)).min()
  }

  /// Why the last start for plans failed.
  func problem(of plans: [String]) -> String? { plans.first.flatMap { self[$0].problem } }

  mutating func started(_ archiveID: ArchiveID, for archive: PlannedArchive, now: MonotonicInstant) {
    change(archive) { $0.started(archiveID, now: now) }
  }

  /// Returns whether that is news.
  mutating func failed(_ problem: String, for archive: PlannedArchive, now: MonotonicInstant) -> Bool {
    change(archive) { $0.failed(problem, now: now) }
  }

  /// An archive has ended; returns the plans that it was recorded for, unless another one has taken its place.
  @discardableResult
  mutating func ended(
    _ archiveID: ArchiveID, manual isManual: Bool, because reason: String? = nil, now: MonotonicInstant
  ) -> [String] {
    var plans = shared.ended(archiveID, manual: isManual, because: reason, now: now)
    for name in timeLapses.keys {
      plans += timeLapses[name]?.ended(archiveID, manual: isManual, because: reason, now: now) ?? []
    }
    return plans
  }

  /// By how it was asked for, whatever its plan is by now.
  private mutating func change<Result>(
    _ archive: PlannedArchive, _ body: (inout PlannedRecording) -> Result
  ) -> Result {
    guard archive.mode.timeLapse != nil, let name = archive.plans.first, var own = timeLapses[name] else {
      return body(&shared)
    }
    defer { timeLapses[name] = own }
    return body(&own)
  }
}
