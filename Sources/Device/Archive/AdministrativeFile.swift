/// The files by which an archive is administered: neither media nor about what was recorded. Each is named only here,
/// so that code that lists all files of a folder has to decide about each of them.
enum AdministrativeFile: String, CaseIterable {
  /// What ``ArchiveManifest`` says.
  case manifest = "archive.json"
  /// The next manifest, until it takes the present one's place.
  case nextManifest = "archive.json.tmp"
  /// Empty; keeps the archive from being deleted.
  case lock = "locked"
  /// The chain of signed statements; see docs/internals/evidence.md.
  case evidence = "evidence.bin"
  /// What a store has of an archive: all of it.
  case uploaded = "uploaded"
  /// What a store has of an archive that is on its way.
  case uploading = "uploading"
  /// Until it takes the place of one of these two.
  case nextUploadRecord = "uploading-new"

  var name: String { rawValue }
}

extension ArchiveFolder {
  static let manifestName = AdministrativeFile.manifest.name
  static let temporaryName = AdministrativeFile.nextManifest.name
  static let lockName = AdministrativeFile.lock.name
  static let evidenceName = AdministrativeFile.evidence.name
  static let uploadedName = AdministrativeFile.uploaded.name
  static let uploadingName = AdministrativeFile.uploading.name
  static let nextUploadRecordName = AdministrativeFile.nextUploadRecord.name
}
