import Signalling

extension ArchiveStore {
  /// Removes the folder of an archive that could not be started.
  func discard(_ id: ArchiveID, on day: CalendarDay) {
    guard let parent = try? openDay(day) else { return }
    if let folder = try? DirectoryHandle(id.text, in: parent) {
      for name in [ArchiveFolder.temporaryName, ArchiveFolder.evidenceName, ArchiveFolder.manifestName] {
        try? folder.removeFile(name)
      }
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
        try parent.removeTree(name)
      } catch {
        failures[id] = error
      }
    }
    removeEmptyFolders(of: day)
    return failures
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
