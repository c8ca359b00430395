import Glibc

/// Finds the manifest of an archive that a power cut ended in its first second.
///
/// The first manifest is announced without waiting for the disk. Until the second is in its place, a blank one may be there;
/// the second may lie beside it, or be absent while a file's beginning is on the disk already.
extension ArchiveFolder {
  /// The manifest that was written last, or one that stands in for it; `nil` if the folder holds nothing else either.
  func lastManifest() throws(ArchiveError) -> ArchiveManifest? {
    do {
      return try manifest()
    } catch {
      if let next = try? manifest(named: Self.temporaryName) {
        try replaceManifest()
        return next
      }
      if try holdsNothing { return nil }
      guard try hasBlankManifest else { throw error }
      return try substituteManifest()
    }
  }

  /// The manifest stays, so that a power cut in between leaves a folder that holds nothing.
  func removeDisposableMedia() throws(ArchiveError) {
    for name in try mediaFileNames() { try directory.removeFile(name) }
  }

  private var hasBlankManifest: Bool {
    get throws(ArchiveError) {
      guard directory.contains(Self.manifestName) else { return false }
      return try ArchiveFile(Self.manifestName, in: directory).isBlank
    }
  }

  private var holdsNothing: Bool {
    get throws(ArchiveError) {
      let names = try directory.names().filter { $0 != Self.temporaryName }
      if names.isEmpty { return true }
      let media = try mediaFileNames()
      guard try hasBlankManifest, names.count == media.count + 1 else { return false }
      for name in media {
        guard try ArchiveRepair.isDisposable(name, in: self) else { return false }
      }
      return true
    }
  }

  /// Who called is not known any more; when it began says the blank manifest's file.
  private func substituteManifest() throws(ArchiveError) -> ArchiveManifest {
    var status = stat()
    guard fstatat(directory.descriptor, Self.manifestName, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw .last("fstatat")
    }
    let milliseconds = Int64(status.st_mtim.tv_sec) &* 1_000 &+ Int64(status.st_mtim.tv_nsec) / 1_000_000
    return ArchiveManifest(
      id: id, details: ArchiveDetails(sessionID: ""), createdAt: milliseconds, clockSynchronized: false)
  }
}
