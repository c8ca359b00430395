public import ControlMessages
import DeviceEvents
public import Signalling

extension EngineControl {
  public func detectedEvents(since: Int64, limit: Int) async throws -> [DetectedEvent] {
    await eventCenter?.events(since: since, limit: limit) ?? []
  }

  public func showArchive(archiveID: String) async throws -> ArchiveDetail {
    try await catalog.showArchive(archiveID: archiveID)
  }

  public func repairArchive(archiveID: String) async throws -> ArchiveRepairResult {
    try await catalog.repairArchive(archiveID: archiveID)
  }

  public func setArchiveLocked(archiveID: String, _ isLocked: Bool) async throws {
    try await catalog.setArchiveLocked(archiveID: archiveID, isLocked)
  }

  public func renameArchive(archiveID: String, name: String) async throws {
    try await catalog.renameArchive(archiveID: archiveID, name: name)
  }

  public func deleteArchive(archiveID: String, isForced: Bool) async throws {
    try await catalog.deleteArchive(archiveID: archiveID, isForced: isForced)
  }
}
