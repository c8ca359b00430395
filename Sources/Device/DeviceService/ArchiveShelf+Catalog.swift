import ArchiveInspection
import CallEngine
import ControlMessages

extension ArchiveShelf: ArchiveCatalog {
  func summaries(limit: Int) async throws -> [ArchiveSummary] {
    try await BlockingWork.run { try ArchiveInspection(store: store).summaries(limit: limit) }
  }

  func verify(archiveID: String?) async throws -> [ArchiveReport] {
    try await BlockingWork.run { try ArchiveInspection(store: store).reports(archiveID: archiveID) }
  }
}
