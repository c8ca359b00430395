import Glibc
import RealtimeRuntime

/// How folders go: by handles, so that a link that somebody has put there leads nowhere.
extension ArchiveStore {
  /// Folders in an archive's folder are not ours; deeper ones than this stay.
  private static let deepest = 8
  /// So many files are removed at a time.
  private static let batch = 4_096

  /// Removes the folder of an archive that could not be started.
  func discard(_ id: ArchiveID, on day: CalendarDay) {
    guard let parent = try? openDay(day) else { return }
    if let folder = try? DirectoryHandle(id.text, in: parent) {
      for name in [ArchiveFolder.temporaryName, ArchiveFolder.manifestName] { try? folder.removeFile(name) }
    }
    try? parent.removeDirectory(id.text)
    removeEmptyFolders(of: day)
  }

  /// Completes deletions that were interrupted on this day; returns those that failed again.
  func completeDeletions(on day: CalendarDay) -> [ArchiveID: ArchiveError] {
    var failures: [ArchiveID: ArchiveError] = [:]
    guard let parent = try? openDay(day), let names = try? parent.names() else { return [:] }
    for name in names where name.hasSuffix(Self.deletedSuffix) {
      guard let id = ArchiveID(String(name.dropLast(Self.deletedSuffix.count))) else { continue }
      do {
        try removeDirectory(name, in: parent)
      } catch {
        failures[id] = error
      }
    }
    removeEmptyFolders(of: day)
    return failures
  }

  /// Removes a folder and what is in it. Follows no symbolic link.
  func removeDirectory(
    _ name: String, in parent: borrowing DirectoryHandle, depth: Int = 0
  ) throws(ArchiveError) {
    guard depth < Self.deepest else { throw .system(SystemCallError(call: "unlinkat", errno: ENOTEMPTY)) }
    let folder = try DirectoryHandle(name, in: parent)
    while true {
      let names = try folder.names(limit: Self.batch)
      for name in names { try remove(name, in: folder, depth: depth) }
      if names.count < Self.batch { break }
    }
    try parent.removeDirectory(name)
  }

  private func remove(_ name: String, in folder: borrowing DirectoryHandle, depth: Int) throws(ArchiveError) {
    do {
      try folder.removeFile(name)
    } catch {
      guard error.errno == EISDIR || error.errno == EPERM else { throw error }
      try removeDirectory(name, in: folder, depth: depth + 1)
    }
  }

  /// Removes the folders of a day, month and year that hold nothing any more.
  func removeEmptyFolders(of day: CalendarDay) {
    for depth in (1...3).reversed() {
      let components = day.components.prefix(depth)
      guard let name = components.last, let parent = try? openFolder(Array(components.dropLast())),
        (try? parent.removeDirectory(name)) != nil
      else { return }
    }
  }
}
