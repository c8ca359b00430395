import Glibc
import RealtimeRuntime

/// How folders go: by handles, so that a link that somebody has put there leads nowhere.
extension DirectoryHandle {
  /// Folders in an archive's folder are not ours; deeper ones than this stay.
  private static let deepest = 8
  /// So many files are removed at a time.
  private static let batch = 4_096

  /// Removes a folder and what is in it. Follows no symbolic link.
  func removeTree(_ name: String, depth: Int = 0) throws(ArchiveError) {
    guard depth < Self.deepest else { throw .system(SystemCallError(call: "unlinkat", errno: ENOTEMPTY)) }
    let folder = try DirectoryHandle(name, in: self)
    while true {
      let names = try folder.names(limit: Self.batch)
      for name in names { try folder.remove(name, depth: depth) }
      if names.count < Self.batch { break }
    }
    try removeDirectory(name)
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
