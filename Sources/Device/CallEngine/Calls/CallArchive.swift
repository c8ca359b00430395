import MediaCore
import MediaPlaneAPI
import Signalling

/// The archive of one call: none, one that starts, one that runs, or one that waits until what ended the last one has gone.
struct CallArchive: Sendable, Equatable {
  /// What is to be recorded.
  private struct Wish: Equatable {
    /// The policy rule that wants it.
    var rule: String?
    /// Whether it is tried again: the policy wants it, or it has been recorded already. Those who requested it receive
    /// the failure.
    var persists: Bool
    var isRetry = false

    /// The same, as it is tried again.
    var again: Wish { Wish(rule: rule, persists: true, isRetry: true) }
  }

  /// An archive that has stopped before the answer that it has begun.
  private struct EarlyEnd: Equatable {
    var archiveID: ArchiveID
    var status: ArchiveStatus
    var mayResume: Bool
    var moment: MonotonicInstant
  }

  private enum State: Equatable {
    case none
    case starting(Wish, EarlyEnd? = nil)
    case running(archiveID: ArchiveID, Wish)
    case waiting(Wish, until: MonotonicInstant)
  }

  private var state = State.none

  /// A disk that is full or cannot be written is tried again so often, as for recording plans.
  private static let retryInterval = TimeSpan.seconds(10)

  /// The archive that runs, if any.
  var runningID: ArchiveID? {
    if case .running(let archiveID, _) = state { archiveID } else { nil }
  }

  /// When ``tick(now:)`` has something to do.
  var nextDeadline: MonotonicInstant? {
    if case .waiting(_, let instant) = state { instant } else { nil }
  }

  /// - Parameter persists: whether it is tried again where it cannot be begun.
  mutating func start(rule: String?, persists: Bool) -> [CallAction] {
    switch state {
    case .none, .waiting: begin(Wish(rule: rule, persists: persists))
    case .starting, .running: []
    }
  }

  private mutating func begin(_ wish: Wish) -> [CallAction] {
    state = .starting(wish)
    return [.media(.startArchive(rule: wish.rule, isRetry: wish.isRetry))]
  }

  mutating func tick(now: MonotonicInstant) -> [CallAction] {
    guard case .waiting(let wish, let instant) = state, instant <= now else { return [] }
    return begin(wish)
  }

  mutating func stop(_ reason: ArchiveStopReason) -> [CallAction] {
    if case .waiting = state { state = .none }
    guard let archiveID = runningID else { return [] }
    state = .none
    return [.media(.stopArchive(archiveID: archiveID, reason: reason))]
  }

  mutating func started(_ archiveID: ArchiveID) -> [CallAction] {
    let begin = CallAction.hub(.announceArchive(archiveID: archiveID, status: .started))
    guard case .starting(let wish, let end) = state else {
      state = .running(archiveID: archiveID, Wish(persists: true))
      return [begin]
    }
    state = .running(archiveID: archiveID, wish)
    guard let end, end.archiveID == archiveID else { return [begin] }
    // Those who requested it receive the failure.
    let mayResume = end.mayResume && wish.persists
    return [begin] + stopped(archiveID, status: end.status, mayResume: mayResume, now: end.moment)
  }

  mutating func failed(now: MonotonicInstant) {
    guard case .starting(let wish, _) = state, wish.persists else { return state = .none }
    state = .waiting(wish.again, until: now + Self.retryInterval)
  }

  /// It stopped by itself.
  ///
  /// - Parameter mayResume: whether another one is to follow during the call as soon as there can be one.
  mutating func stopped(
    _ archiveID: ArchiveID, status: ArchiveStatus, mayResume: Bool, now: MonotonicInstant
  ) -> [CallAction] {
    if case .starting(let wish, _) = state {
      let end = EarlyEnd(archiveID: archiveID, status: status, mayResume: mayResume, moment: now)
      state = .starting(wish, end)
    }
    guard case .running(archiveID, let wish) = state else { return [] }
    state = mayResume ? .waiting(wish.again, until: now + Self.retryInterval) : .none
    return [.hub(.announceArchive(archiveID: archiveID, status: status))]
  }
}
