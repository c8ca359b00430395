import ArchiveReading
public import ControlMessages
import RealtimeRuntime

extension ArchiveProvider: ArchiveCatalog {
  private var inspection: ArchiveInspection { ArchiveInspection(store: store) }

  public func summaries(limit: Int) async throws -> [ArchiveSummary] {
    try await BlockingWork.run(.archives) { try inspection.summaries(limit: limit) }
  }

  public func archiveCount() async throws -> Int {
    try await BlockingWork.run(.archives) { try inspection.count() }
  }

  public func verify(archiveID: String?) async throws -> [ArchiveReport] {
    try await BlockingWork.run(.wholeArchives) { try inspection.reports(archiveID: archiveID) }
  }

  public func showArchive(archiveID: String) async throws -> ArchiveDetail {
    try await BlockingWork.run(.archives) { try inspection.detail(archiveID: archiveID) }
  }

  public func repairArchive(archiveID: String) async throws -> ArchiveRepairResult {
    try await BlockingWork.run(.wholeArchives) { try inspection.repair(archiveID: archiveID) }
  }

  public func setArchiveLocked(archiveID: String, _ isLocked: Bool) async throws {
    try await BlockingWork.run(.archives) { try inspection.setLocked(archiveID: archiveID, isLocked) }
  }

  public func renameArchive(archiveID: String, name: String) async throws {
    try await BlockingWork.run(.archives) { try inspection.rename(archiveID: archiveID, name: name) }
  }

  public func deleteArchive(archiveID: String, isForced: Bool) async throws {
    try await BlockingWork.run(.archives) { try inspection.delete(archiveID: archiveID, isForced: isForced) }
  }
}
