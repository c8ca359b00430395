import Archive
import SystemSupport
import Signalling

/// What is known of one archive while it is sent, in memory and on the disk.
final class UploadJournal: Sendable {
  let id: ArchiveID
  private let store: ArchiveUploads
  private let record: Mutex<ArchiveUploadRecord>

  init(_ upload: ArchiveUpload, store: ArchiveUploads) {
    id = upload.id
    self.store = store
    record = Mutex(upload.record)
  }

  /// The object of several parts that is under way.
  var parts: ArchiveUploadRecord.Parts? { record.withLock { $0.parts } }

  func note(_ parts: ArchiveUploadRecord.Parts?) async throws {
    try await save { $0.parts = parts }
  }

  /// The store has confirmed a file.
  func note(sent file: ArchiveUploadRecord.File) async throws {
    try await save { record in
      record.files.removeAll { $0.name == file.name }
      record.files.append(file)
      record.parts = nil
    }
  }

  /// Writes the record, whether or not anything has changed: nothing is sent that could not be noted.
  func begin() async throws { try await save { _ in } }

  /// Marks the archive as uploaded.
  func finish() async throws { try await save(isWhole: true) { $0.parts = nil } }

  private func save(isWhole: Bool = false, _ change: (inout ArchiveUploadRecord) -> Void) async throws {
    let next = record.withLock { record in
      change(&record)
      return record
    }
    try await UploadDisk.run { [store, id] in try store.note(next, of: id, isWhole: isWhole) }
  }
}
