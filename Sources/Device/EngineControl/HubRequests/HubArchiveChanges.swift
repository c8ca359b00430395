public import Archive
public import CallEngine
import CallPolicy
public import HubClient
public import Logging
import RealtimeRuntime
public import Signalling

/// Archives that users at the hub lock, unlock, rename and delete, as the policy's `[recording]` permits.
public struct HubArchiveChanges: ArchiveChanging {
  private let store: ArchiveStore
  private let engine: CallEngine
  private let logger: Logger

  public init(_ store: ArchiveStore, _ engine: CallEngine, _ logger: Logger) {
    self.store = store
    self.engine = engine
    self.logger = logger
  }

  public func change(
    _ archiveID: ArchiveID, _ change: ArchiveChange, for requester: ContentRequester?
  ) async throws(RequestRefusal) -> ArchiveState {
    let userID = try await permit(requester, change, archiveID)
    do {
      let state = try await BlockingWork.run(.archives) { try store.perform(change, on: archiveID) }
      logger.notice("user:\(userID) at the hub has \(change.participle) recording \(archiveID)")
      return state
    } catch let error as ArchiveError {
      logger.notice("user:\(userID) at the hub could not have recording \(archiveID) \(change.participle): \(error)")
      throw RequestRefusal(error)
    } catch {
      throw .notPossible("\(error)")
    }
  }

  /// - Returns: the user's id.
  private func permit(
    _ requester: ContentRequester?, _ change: ArchiveChange, _ archiveID: ArchiveID
  ) async throws(RequestRefusal) -> String {
    guard let requester else { throw .notAllowed("it cannot identify the requester; its log says why") }
    let permissions = await engine.policyInForce.policy.recording
    guard permissions.permitsChanges(requester.userID, CallerRole(hubName: requester.role), requester.groups) else {
      logger.notice(
        "user:\(requester.userID) at the hub may not have recording \(archiveID) \(change.participle): managers in [recording] of policy.toml"
      )
      throw .notAllowed("its policy does not let you change recordings")
    }
    return requester.userID
  }
}

extension ArchiveStore {
  fileprivate func perform(_ change: ArchiveChange, on id: ArchiveID) throws(ArchiveError) -> ArchiveState {
    switch change {
    case .lock: try lock(id)
    case .unlock: try unlock(id)
    case .rename(let name): try rename(id, to: name)
    case .delete:
      // One whose manifest cannot be read can be deleted, too.
      let name = (try? manifest(id))?.name ?? ""
      try delete(id)
      return ArchiveState(id: id, name: name, isLocked: false, isDeleted: true)
    }
    return ArchiveState(id: id, name: try manifest(id).name, isLocked: try isLocked(id), isDeleted: false)
  }
}

extension ArchiveChange {
  /// As in "has … the recording".
  fileprivate var participle: String {
    switch self {
    case .lock: "locked"
    case .unlock: "unlocked"
    case .rename: "renamed"
    case .delete: "deleted"
    }
  }
}

extension RequestRefusal {
  /// Why the device does not do something with an archive, for those who asked through the hub.
  init(_ error: ArchiveError) {
    switch error {
    case .notFound: self = .notFound("it has no such recording")
    case .invalidName: self = .notPossible("the recording has no such file, or cannot have this name")
    case .inUse: self = .notPossible("the recording is in use: being made, repaired, or sent to others")
    case .locked: self = .notPossible("the recording is locked: unlock it first")
    case .unfinished: self = .notPossible("the recording is not finished")
    case .noMedia: self = .notPossible("nothing was recorded in this part")
    case .tooLarge: self = .notPossible("this part has more than a gigabyte: take a shorter one")
    case .hardLinked, .hollow, .notRegular, .nothingUsable, .duplicateStream, .stopped, .notEnoughSpace, .notMounted,
      .manifestUnreadable, .evidence, .system, .storage:
      self = .notPossible("its disk refuses; its log says why")
    }
  }
}
