import MediaCore
import Signalling

/// Ensures that the device records itself for the plans that want it, in one archive after another.
///
/// Decides only: the engine starts and stops archives as ``nextStep(wanted:now:)`` says, and reports the result. One
/// archive serves all plans that want something recorded, so that nothing is written twice; when other plans want it, and
/// each hour, since an archive cannot be deleted while it is being recorded, the next one begins a little before the old
/// one is stopped.
struct PlannedRecording: Sendable {
  enum Step: Equatable {
    /// - Parameter previous: the plans of the archive that continues until this one has begun; nil where none runs.
    case start(PlannedArchive, previous: [String]?)
    /// - Parameter isFollowed: whether the next archive has begun.
    case stop(archiveID: ArchiveID, isFollowed: Bool)
  }

  fileprivate struct Running: Equatable {
    var archiveID: ArchiveID
    var archive: PlannedArchive
    var end: MonotonicInstant
  }

  private enum State: Equatable {
    case idle(until: MonotonicInstant)
    case starting(PlannedArchive)
    case running(Running)
    /// The next archive is being started, or is to be tried again at an instant.
    case renewing(Running, next: PlannedArchive, at: MonotonicInstant?)
  }

  private var state = State.idle(until: MonotonicInstant(nanoseconds: .min))
  /// Archives that end when the next ones surely have their first frames; a few at most, since starts come one by one.
  private var ending: [(archiveID: ArchiveID, at: MonotonicInstant)] = []
  /// Why the last start failed.
  private(set) var problem: String?

  /// How long an archive lasts.
  private let span: TimeSpan

  static let usualSpan = TimeSpan.seconds(3_600)
  /// How long two archives run side by side.
  static let overlap = TimeSpan.seconds(3)
  /// A disk that is full or cannot be written is tried again so often.
  static let retryInterval = TimeSpan.seconds(10)

  init(span: TimeSpan = Self.usualSpan) { self.span = span }
}

extension PlannedRecording {
  /// What has to be done now; call again until there is nothing.
  ///
  /// - Parameter wanted: what is to be recorded; nil for nothing.
  mutating func nextStep(wanted: PlannedArchive?, now: MonotonicInstant) -> Step? {
    if let index = ending.firstIndex(where: { wanted == nil || now >= $0.at }) {
      return .stop(archiveID: ending.remove(at: index).archiveID, isFollowed: true)
    }
    return wanted.map { nextStart($0, now: now) } ?? nextStop()
  }

  private mutating func nextStart(_ wanted: PlannedArchive, now: MonotonicInstant) -> Step? {
    switch state {
    case .idle(let instant) where now >= instant:
      state = .starting(wanted)
      return .start(wanted, previous: nil)
    case .running(let running) where running.isToEnd(wanted, now: now): return renew(running, wanted)
    case .renewing(let running, _, let instant?) where !running.isToEnd(wanted, now: now) || now >= instant:
      if running.isToEnd(wanted, now: now) { return renew(running, wanted) }
      (state, problem) = (.running(running), nil)
      return nil
    case .idle, .starting, .running, .renewing: return nil
    }
  }

  private mutating func renew(_ running: Running, _ wanted: PlannedArchive) -> Step {
    state = .renewing(running, next: wanted, at: nil)
    return .start(wanted, previous: running.archive.plans)
  }

  private mutating func nextStop() -> Step? {
    switch state {
    case .running(let running), .renewing(let running, _, .some):
      state = .idle(until: MonotonicInstant(nanoseconds: .min))
      return .stop(archiveID: running.archiveID, isFollowed: false)
    case .idle, .starting, .renewing: return nil
    }
  }

  /// When ``nextStep(wanted:now:)`` has something to say, if nothing happens before.
  func nextDeadline(wanted: PlannedArchive?) -> MonotonicInstant? {
    guard wanted != nil else { return nil }
    let due: MonotonicInstant? =
      switch state {
      case .idle(let instant): instant
      case .running(let running): running.end
      case .renewing(_, _, let instant): instant
      case .starting: nil
      }
    return (ending.map(\.at) + [due].compactMap(\.self)).min()
  }

  mutating func started(_ archiveID: ArchiveID, now: MonotonicInstant) {
    switch state {
    case .starting(let archive): run(archiveID, archive, now)
    case .renewing(let old, let next, _):
      ending.append((old.archiveID, now + Self.overlap))
      run(archiveID, next, now)
    // Nothing else is asked to start.
    case .idle, .running: ending.append((archiveID, now))
    }
  }

  private mutating func run(_ archiveID: ArchiveID, _ archive: PlannedArchive, _ now: MonotonicInstant) {
    (state, problem) = (.running(Running(archiveID: archiveID, archive: archive, end: now + span)), nil)
  }

  /// Returns whether that is news.
  mutating func failed(_ problem: String, now: MonotonicInstant) -> Bool {
    let isNew = self.problem == nil
    self.problem = problem
    let retry = now + Self.retryInterval
    if case .renewing(let running, let next, _) = state {
      state = .renewing(running, next: next, at: retry)
    } else {
      state = .idle(until: retry)
    }
    return isNew
  }

  /// An archive has ended, whether by itself or on request; returns the plans that it was recorded for,
  /// unless another one has taken its place.
  ///
  /// - Parameter reason: why it ended by itself, which has been reported: the same reason for the next one is not
  ///   reported again.
  @discardableResult
  mutating func ended(
    _ archiveID: ArchiveID, manual isManual: Bool, because reason: String? = nil, now: MonotonicInstant
  ) -> [String] {
    ending.removeAll { $0.archiveID == archiveID }
    switch state {
    case .running(let running) where running.archiveID == archiveID,
      .renewing(let running, _, .some) where running.archiveID == archiveID:
      state = .idle(until: isManual ? now : now + Self.retryInterval)
      problem = reason ?? problem
      return running.archive.plans
    case .renewing(let running, let next, nil) where running.archiveID == archiveID:
      state = .starting(next)
      return running.archive.plans
    case .idle, .starting, .running, .renewing: return []
    }
  }

  /// Whether nothing runs, begins or ends.
  var isIdle: Bool { if case .idle = state { ending.isEmpty } else { false } }

  // MARK: For status displays

  /// The plans that the archive which runs is for.
  var currentPlans: [String] {
    switch state {
    case .running(let running), .renewing(let running, _, _): running.archive.plans
    case .idle, .starting: []
    }
  }

  /// What is done for a plan that wants something recorded.
  func text(of plan: String) -> String {
    guard currentPlans.contains(plan) else { return problem.map { "not recording: \($0)" } ?? "starting" }
    return problem.map { "recording; the next archive cannot be started: \($0)" } ?? "recording"
  }
}

extension PlannedRecording.Running {
  fileprivate func isToEnd(_ wanted: PlannedArchive, now: MonotonicInstant) -> Bool {
    now >= end || !archive.isSame(as: wanted)
  }
}
