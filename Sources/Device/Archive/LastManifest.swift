import Glibc
import Signalling

/// Finds the manifest of an archive that a power cut ended.
///
/// The next manifest lies beside the present one before it takes its place, so when it is whole it is the last one. The
/// first is announced without waiting for the disk: until the second is on the disk, a blank one may be in its place, or
/// none, while a file's beginning is on the disk already.
extension ArchiveFolder {
  /// The manifest that was written last, or one that stands in for it; `nil` if the folder holds nothing else either.
  func lastManifest() throws(ArchiveError) -> ArchiveManifest? {
    do {
      let manifest = try manifest()
      return manifest.status == .started ? try nextManifest() ?? manifest : manifest
    } catch {
      if let next = try nextManifest() { return next }
      if try holdsNothing { return nil }
      guard try hasBlankManifest else { throw error }
      return try substituteManifest()
    }
  }

  /// The manifest that was to take the present one's place, and has it now; `nil` if it is not whole.
  private func nextManifest() throws(ArchiveError) -> ArchiveManifest? {
    guard let next = try? manifest(named: Self.temporaryName) else { return nil }
    try replaceManifest()
    try directory.sync()
    return next
  }

  /// Names of everything in a folder that only resembles an archive's; `nil` where something of it is the recorder's,
  /// or there is nothing at all.
  func foreignContent() throws(ArchiveError) -> [String]? {
    let names = try directory.names()
    guard !names.isEmpty, !directory.contains(Self.manifestName) else { return nil }
    return try foreignNames(besides: nil) == names ? names : nil
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
      let names = try directory.names().filter { $0 != Self.temporaryName && $0 != Self.evidenceName }
      if names.isEmpty { return true }
      let media = try mediaFileNames()
      guard try hasBlankManifest, names.count == media.count + 1 else { return false }
      for name in media {
        guard try MediaFileKind(of: name, in: self) == .empty else { return false }
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
