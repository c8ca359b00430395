import Glibc
import Signalling
import SystemSupport

/// Removal of folders: by handles, so that a planted link leads nowhere.
extension DirectoryHandle {
  /// Folders in an archive's folder are not ours; deeper ones than this stay.
  private static let deepest = 8
  /// The maximum number of files removed at a time.
  private static let batch = 4_096

  /// Removes a folder and what is in it. Follows no symbolic link.
  func removeTree(_ name: String, depth: Int = 0) throws(ArchiveError) {
    guard depth < Self.deepest else { throw .system(SystemCallError(call: "unlinkat", errno: ENOTEMPTY)) }
    let folder = try DirectoryHandle(name, in: self)
    while true {
      let names = try folder.names(limit: Self.batch)
      // The manifest goes last: it shows that the rest is an archive's.
      for name in names where name != ArchiveFolder.manifestName { try folder.remove(name, depth: depth) }
      if names.count < Self.batch { break }
    }
    if folder.contains(ArchiveFolder.manifestName) { try folder.remove(ArchiveFolder.manifestName, depth: depth) }
    try removeDirectory(name)
  }

  /// Removes the folder of an archive that is being deleted. What is to be spared stays, in a folder of the archive's name.
  func removeArchive(_ name: String, of id: ArchiveID, sparing spared: [String]) throws(ArchiveError) {
    guard !spared.isEmpty else { return try removeTree(name) }
    try DirectoryHandle(name, in: self).removeFiles(except: spared)
    try rename(name, to: id.text)
  }

  /// Removes the files of an archive's folder but for some.
  private func removeFiles(except kept: [String]) throws(ArchiveError) {
    let kept = Set(kept)
    for name in try names() where !kept.contains(name) && name != ArchiveFolder.manifestName { try removeFile(name) }
    try removeFile(ArchiveFolder.manifestName)
    try sync()
  }

  private func remove(_ name: String, depth: Int) throws(ArchiveError) {
    do {
      try removeFile(name)
    } catch {
      guard error.errno == EISDIR || error.errno == EPERM else { throw error }
      try removeTree(name, depth: depth + 1)
    }
  }
}
