import MediaCore
import Signalling

/// Sees to it that the device records itself for as long as it is wanted, in one archive after another.
///
/// Decides only: the engine starts and stops archives as ``nextStep(now:)`` says, and tells what became of it. An archive
/// cannot be deleted while it is being recorded, so a new one begins each hour, a little before the old one is stopped.
struct ContinuousRecording: Sendable {
  enum Step: Equatable {
    case start
    /// The next archive has begun.
    case stop(archiveID: ArchiveID)
  }

  private enum State: Equatable {
    case waiting(until: MonotonicInstant)
    case starting
    case running(archiveID: ArchiveID, until: MonotonicInstant)
    /// The next archive is being started, or is to be tried again.
    case renewing(archiveID: ArchiveID, at: MonotonicInstant?)
    /// Somebody has stopped it.
    case paused
  }

  private var state = State.waiting(until: MonotonicInstant(nanoseconds: .min))
  /// The archive that ends when the next one surely has its first picture.
  private var ending: (archiveID: ArchiveID, at: MonotonicInstant)?
  private(set) var isWanted = false
  /// Why the last start failed.
  private(set) var problem: String?

  /// How long an archive lasts.
  static let span = TimeSpan.seconds(3_600)
  /// How long two archives run side by side.
  static let overlap = TimeSpan.seconds(3)
  /// A disk that is full or cannot be written is tried again so often.
  static let retryInterval = TimeSpan.seconds(10)
}

extension ContinuousRecording {
  /// What has to be done now; call again until there is nothing.
  mutating func nextStep(now: MonotonicInstant) -> Step? {
    if let ending, !isWanted || now >= ending.at {
      self.ending = nil
      return .stop(archiveID: ending.archiveID)
    }
    return isWanted ? nextStart(now: now) : nextStop()
  }

  private mutating func nextStart(now: MonotonicInstant) -> Step? {
    switch state {
    case .waiting(let instant) where now >= instant: state = .starting
    case .running(let archiveID, let end) where now >= end: state = .renewing(archiveID: archiveID, at: nil)
    case .renewing(let archiveID, let instant?) where now >= instant:
      state = .renewing(archiveID: archiveID, at: nil)
    case .waiting, .starting, .running, .renewing, .paused: return nil
    }
    return .start
  }

  private mutating func nextStop() -> Step? {
    switch state {
    case .running(let archiveID, _), .renewing(let archiveID, .some):
      state = .paused
      return .stop(archiveID: archiveID)
    case .waiting, .starting, .renewing, .paused: return nil
    }
  }

  /// When ``nextStep(now:)`` has something to say, if nothing happens before.
  var nextDeadline: MonotonicInstant? {
    guard isWanted else { return nil }
    let due: MonotonicInstant? =
      switch state {
      case .waiting(let instant), .running(_, let instant): instant
      case .renewing(_, let instant): instant
      case .starting, .paused: nil
      }
    return [due, ending?.at].compactMap(\.self).min()
  }

  /// Takes over a setting. One that was stopped by hand begins again.
  mutating func setWanted(_ isWanted: Bool, now: MonotonicInstant) {
    self.isWanted = isWanted
    if isWanted, state == .paused { state = .waiting(until: now) }
  }

  /// Takes a start by hand for the end of the pause that somebody's stop began; returns whether there was one.
  mutating func resumeByHand() -> Bool {
    guard isWanted, state == .paused else { return false }
    state = .starting
    return true
  }

  mutating func started(_ archiveID: ArchiveID, now: MonotonicInstant) {
    if case .renewing(let old, _) = state { ending = (old, now + Self.overlap) }
    state = .running(archiveID: archiveID, until: now + Self.span)
    problem = nil
  }

  /// Returns whether that is news.
  mutating func failed(_ problem: String, now: MonotonicInstant) -> Bool {
    let isNew = self.problem == nil
    self.problem = problem
    let retry = now + Self.retryInterval
    if case .renewing(let archiveID, _) = state {
      state = .renewing(archiveID: archiveID, at: retry)
    } else {
      state = .waiting(until: retry)
    }
    return isNew
  }

  /// An archive has ended, whether by itself or because somebody stopped it.
  mutating func ended(_ archiveID: ArchiveID, byHand isByHand: Bool, now: MonotonicInstant) {
    if ending?.archiveID == archiveID { ending = nil }
    switch state {
    case .running(archiveID, _), .renewing(archiveID, .some):
      state = isByHand ? .paused : .waiting(until: now + Self.retryInterval)
    case .renewing(archiveID, nil): state = .starting
    case .waiting, .starting, .running, .renewing, .paused: break
    }
  }

  /// For status displays; nil when only calls are recorded.
  var summary: String? {
    guard isWanted else { return nil }
    return switch state {
    case .running: "recording"
    case .paused: "stopped by hand"
    case .renewing: problem.map { "recording; the next archive cannot be started: \($0)" } ?? "recording"
    case .waiting, .starting: problem.map { "not recording: \($0)" } ?? "starting"
    }
  }
}
