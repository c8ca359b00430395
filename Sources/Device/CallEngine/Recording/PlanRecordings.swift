import MediaCore
import Signalling

/// The archives of all plans: one after another that plans share, and others that each time-lapse has for itself, since its
/// pictures are others and nothing is to cut it.
///
/// Decides only, as ``PlannedRecording`` does.
struct PlanRecordings: Sendable {
  private var shared = PlannedRecording()
  /// By the names of their plans. Those of plans that are gone end their archives.
  private var timeLapses: [String: PlannedRecording] = [:]

  /// An archive of a time-lapse is small, and begins anew with the next day.
  static let timeLapseSpan = TimeSpan.seconds(86_400)

  mutating func setPlans(_ plans: [RecordingPlan]) {
    for plan in plans where plan.timeLapse != nil && timeLapses[plan.name] == nil {
      timeLapses[plan.name] = PlannedRecording(span: Self.timeLapseSpan)
    }
  }

  /// What is recorded for a plan.
  subscript(plan: String) -> PlannedRecording { timeLapses[plan] ?? shared }

  /// What has to be done now; call again until there is nothing.
  mutating func nextStep(wanted: [String], now: MonotonicInstant) -> PlannedRecording.Step? {
    if let step = shared.nextStep(wanted: wanted.filter { timeLapses[$0] == nil }, now: now) { return step }
    for name in timeLapses.keys.sorted() {
      let own = wanted.contains(name) ? [name] : []
      if let step = timeLapses[name]?.nextStep(wanted: own, now: now) { return step }
    }
    return nil
  }

  /// When ``nextStep(wanted:now:)`` has something to say, if nothing happens before.
  func nextDeadline(wanted: [String]) -> MonotonicInstant? {
    let own = timeLapses.compactMap { name, recording in
      recording.nextDeadline(wanted: wanted.contains(name) ? [name] : [])
    }
    return (own + [shared.nextDeadline(wanted: wanted.filter { timeLapses[$0] == nil })].compactMap(\.self)).min()
  }

  /// Why the last start for plans failed.
  func problem(of plans: [String]) -> String? { plans.first.flatMap { self[$0].problem } }

  mutating func started(_ archiveID: ArchiveID, for plans: [String], now: MonotonicInstant) {
    change(plans) { $0.started(archiveID, now: now) }
  }

  /// Returns whether that is news.
  mutating func failed(_ problem: String, for plans: [String], now: MonotonicInstant) -> Bool {
    change(plans) { $0.failed(problem, now: now) }
  }

  /// An archive has ended; returns the plans that it was recorded for, unless another one has taken its place.
  @discardableResult
  mutating func ended(_ archiveID: ArchiveID, byHand isByHand: Bool, now: MonotonicInstant) -> [String] {
    var plans = shared.ended(archiveID, byHand: isByHand, now: now)
    for name in timeLapses.keys { plans += timeLapses[name]?.ended(archiveID, byHand: isByHand, now: now) ?? [] }
    return plans
  }

  private mutating func change<Result>(_ plans: [String], _ body: (inout PlannedRecording) -> Result) -> Result {
    guard let name = plans.first, var own = timeLapses[name] else { return body(&shared) }
    defer { timeLapses[name] = own }
    return body(&own)
  }
}
