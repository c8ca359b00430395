import Archive
public import ControlMessages
import Signalling

extension ArchiveInspection {
  /// Everything about one archive that is known without reading it through.
  public func detail(archiveID: String) throws(DeviceControlError) -> ArchiveDetail {
    try onArchive(archiveID) { (id) throws(ArchiveError) in ArchiveDetail(try store.content(id)) }
  }

  /// Makes one archive whole that is not in use.
  public func repair(archiveID: String) throws(DeviceControlError) -> ArchiveRepairResult {
    try onArchive(archiveID) { (id) throws(ArchiveError) in
      let report = try store.repair(id)
      return ArchiveRepairResult(
        archiveID: archiveID, changes: report.changes.map(\.sentence),
        notes: report.foreign.map { ArchiveFinding.foreignFile($0).sentence })
    }
  }

  public func setLocked(archiveID: String, _ isLocked: Bool) throws(DeviceControlError) {
    try onArchive(archiveID) { (id) throws(ArchiveError) in
      if isLocked { try store.lock(id) } else { try store.unlock(id) }
    }
  }

  public func rename(archiveID: String, name: String) throws(DeviceControlError) {
    guard ArchiveManifest.isValidName(name) else { throw .invalidParameter("name") }
    try onArchive(archiveID) { (id) throws(ArchiveError) in try store.rename(id, to: name) }
  }

  public func delete(archiveID: String, isForced: Bool) throws(DeviceControlError) {
    try onArchive(archiveID) { (id) throws(ArchiveError) in try store.delete(id, isForced: isForced) }
  }

  private func onArchive<Result>(
    _ archiveID: String, _ work: (ArchiveID) throws(ArchiveError) -> Result
  ) throws(DeviceControlError) -> Result {
    let id = try id(archiveID)
    do {
      return try work(id)
    } catch {
      throw DeviceControlError(error)
    }
  }

  /// The archive of this id, or the only one whose id begins so.
  func id(_ text: String) throws(DeviceControlError) -> ArchiveID {
    if let id = ArchiveID(text), (try? store.path(id)) != nil { return id }
    let all: [String]
    do {
      all = try store.ids().map(\.text)
    } catch {
      throw DeviceControlError(error)
    }
    guard let id = try IdentifierPrefix.resolve(text, among: all).flatMap({ ArchiveID($0) }) else {
      throw .noSuchArchive(text)
    }
    return id
  }
}

extension DeviceControlError {
  init(_ error: ArchiveError) {
    switch error {
    case .notFound(let id): self = .noSuchArchive(id.text)
    case .inUse(let id): self = .archiveInUse(id.text)
    case .locked(let id): self = .archiveLocked(id.text)
    case .invalidName, .hardLinked, .hollow, .notRegular, .unfinished, .noMedia, .tooLarge, .nothingUsable,
      .duplicateStream,
      .stopped, .notEnoughSpace, .notMounted, .manifestUnreadable, .evidence, .system, .storage:
      self = .failed(message: error.description)
    }
  }
}
