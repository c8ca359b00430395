import MediaPlaneAPI
import Signalling

/// The archive of one call: none, one that starts, or one that runs.
struct CallArchive: Sendable, Equatable {
  private enum State: Equatable {
    case none
    case starting
    case running(archiveID: ArchiveID)
  }

  private var state = State.none

  /// The archive that runs, if any.
  var runningID: ArchiveID? {
    if case .running(let archiveID) = state { archiveID } else { nil }
  }

  mutating func start(rule: String?) -> [CallAction] {
    guard state == .none else { return [] }
    state = .starting
    return [.media(.startArchive(rule: rule))]
  }

  mutating func stop(_ reason: ArchiveStopReason) -> [CallAction] {
    guard let archiveID = runningID else { return [] }
    state = .none
    return [.media(.stopArchive(archiveID: archiveID, reason: reason))]
  }

  mutating func started(_ archiveID: ArchiveID) -> [CallAction] {
    state = .running(archiveID: archiveID)
    return [.hub(.announceArchive(archiveID: archiveID, status: .started))]
  }

  mutating func failed() { state = .none }

  /// It stopped by itself.
  mutating func stopped(_ archiveID: ArchiveID, status: ArchiveStatus) -> [CallAction] {
    guard runningID == archiveID else { return [] }
    state = .none
    return [.hub(.announceArchive(archiveID: archiveID, status: status))]
  }
}
