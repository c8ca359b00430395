import ArchiveReading
import CallEngine
import EngineControl
import ControlMessages

extension ArchiveProvider: ArchiveCatalog {
  private var inspection: ArchiveInspection { ArchiveInspection(store: store) }

  func summaries(limit: Int) async throws -> [ArchiveSummary] {
    try await BlockingWork.run(.archives) { try inspection.summaries(limit: limit) }
  }

  func archiveCount() async throws -> Int {
    try await BlockingWork.run(.archives) { try inspection.count() }
  }

  func verify(archiveID: String?) async throws -> [ArchiveReport] {
    try await BlockingWork.run(.wholeArchives) { try inspection.reports(archiveID: archiveID) }
  }

  func showArchive(archiveID: String) async throws -> ArchiveDetail {
    try await BlockingWork.run(.archives) { try inspection.detail(archiveID: archiveID) }
  }

  func repairArchive(archiveID: String) async throws -> ArchiveRepairResult {
    try await BlockingWork.run(.wholeArchives) { try inspection.repair(archiveID: archiveID) }
  }

  func setArchiveLocked(archiveID: String, _ isLocked: Bool) async throws {
    try await BlockingWork.run(.archives) { try inspection.setLocked(archiveID: archiveID, isLocked) }
  }

  func renameArchive(archiveID: String, name: String) async throws {
    try await BlockingWork.run(.archives) { try inspection.rename(archiveID: archiveID, name: name) }
  }

  func deleteArchive(archiveID: String, isForced: Bool) async throws {
    try await BlockingWork.run(.archives) { try inspection.delete(archiveID: archiveID, isForced: isForced) }
  }
}
