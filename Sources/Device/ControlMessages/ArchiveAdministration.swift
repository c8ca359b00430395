/// What can be asked about one archive that lies on the disk.
///
/// - Throws: ``DeviceControlError/noSuchArchive(_:)``, ``DeviceControlError/archiveInUse(_:)``,
///   ``DeviceControlError/archiveLocked(_:)`` …
public protocol ArchiveAdministration: Sendable {
  /// Everything about one archive that is known without reading it through.
  func showArchive(archiveID: String) async throws -> ArchiveDetail
  /// Makes one archive whole that is not in use.
  func repairArchive(archiveID: String) async throws -> ArchiveRepairResult
  /// Keeps an archive from being deleted, or lets it be deleted again.
  func setArchiveLocked(archiveID: String, _ isLocked: Bool) async throws
  /// Gives an archive another name.
  func renameArchive(archiveID: String, name: String) async throws
  /// Deletes an archive that is not in use; a locked one only if it `isForced`.
  func deleteArchive(archiveID: String, isForced: Bool) async throws
}
