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

  /// Completes deletions that were interrupted on this day, but for what the recorder did not make; returns those that failed
  /// again.
  func completeDeletions(on day: CalendarDay) -> [ArchiveID: ArchiveError] {
    var failures: [ArchiveID: ArchiveError] = [:]
    guard let parent = try? openDay(day), let names = try? parent.names() else { return [:] }
    for name in names where parent.isDeletion(name) {
      guard let id = ArchiveID(String(name.dropLast(Self.deletedSuffix.count))) else { continue }
      do {
        let folder = ArchiveFolder(id: id, directory: try DirectoryHandle(name, in: parent))
        let foreign = try folder.foreignNames(besides: try? folder.manifest())
        try parent.removeArchive(name, of: id, sparing: foreign)
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

extension DirectoryHandle {
  /// Whether this is the name of an archive's folder that is being deleted, or whose deletion was interrupted: its manifest goes
  /// last. A user's own folder of such a name is left alone.
  func isDeletion(_ name: String) -> Bool {
    guard name.hasSuffix(ArchiveStore.deletedSuffix), let folder = try? DirectoryHandle(name, in: self) else {
      return false
    }
    return folder.contains(ArchiveFolder.manifestName) || (try? folder.names(limit: 1).isEmpty) ?? false
  }
}
