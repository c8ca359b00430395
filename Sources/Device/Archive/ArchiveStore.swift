import Glibc

/// The archives on a disk: `<root>/YYYY/MM/DD/<archiveID>/`, the day being that of the start in UTC.
///
/// Holds no state but the path, so copies are the same store. Its methods read the disk and may block: call them
/// from a thread that may.
public struct ArchiveStore: Sendable {
  public let root: String

  /// - Parameter root: the folder of all archives; made when the first archive is.
  public init(root: String) { self.root = root }

  /// The store that holds the archive whose folder is `path`; `nil` if no store has folders there.
  public init?(archivePath path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    guard parts.count > 4, let id = parts.last, ArchiveID(id) != nil,
      CalendarDay(components: Array(parts.suffix(4).dropLast())) != nil
    else { return nil }
    root = parts.dropLast(4).joined(separator: "/")
  }

  static let deletedSuffix = ".deleted"

  /// Manifests of all archives, the youngest first. Folders without a readable manifest are left out.
  public func list(limit: Int = .max) throws(ArchiveError) -> [ArchiveManifest] {
    try listings(limit: limit).map(\.manifest)
  }

  /// All archives with where they lie and whether they are locked, the youngest first.
  public func listings(limit: Int = .max) throws(ArchiveError) -> [ArchiveListing] {
    var listings: [ArchiveListing] = []
    for day in try days().reversed() {
      guard listings.count < limit else { break }
      listings += try ids(on: day).compactMap { try? listing($0, on: day) }
        .sorted { $0.manifest.createdAt > $1.manifest.createdAt }
    }
    return Array(listings.prefix(limit))
  }

  public func manifest(_ id: ArchiveID) throws(ArchiveError) -> ArchiveManifest {
    try manifest(id, on: try day(of: id))
  }

  /// The path of an archive's folder.
  public func path(_ id: ArchiveID) throws(ArchiveError) -> String {
    path(id, on: try day(of: id))
  }

  /// The path of a file that the archive's manifest names, or of the manifest itself.
  public func path(_ id: ArchiveID, file name: String) throws(ArchiveError) -> String {
    let day = try day(of: id)
    if name != ArchiveFolder.manifestName {
      guard try manifest(id, on: day).files.contains(where: { $0.filename == name }) else { throw .invalidName(name) }
    }
    return path(id, on: day) + "/" + name
  }

  /// Deletes an archive with all that is in its folder, unless it is in use or locked. A deletion that a power cut
  /// interrupts is completed by ``ArchiveRecovery``.
  ///
  /// - Parameter isForced: deletes a locked one too.
  public func delete(_ id: ArchiveID, isForced: Bool = false) throws(ArchiveError) {
    let day = try day(of: id)
    let parent = try DirectoryHandle(path: path(of: day))
    let name = id.text + Self.deletedSuffix
    try condemn(id, in: parent, as: name, isForced: isForced)
    try removeDirectory(name, in: parent)
    removeEmptyFolders(of: day)
  }

  /// Takes the archive away under a name that is no archive's. Nobody can lock it in between.
  private func condemn(
    _ id: ArchiveID, in parent: borrowing DirectoryHandle, as name: String, isForced: Bool
  ) throws(ArchiveError) {
    parent.lockWhenFree()
    defer { parent.unlock() }
    let folder = try openAndLock(id, in: parent)
    guard isForced || !folder.directory.contains(ArchiveFolder.lockName) else { throw .locked(id) }
    try parent.rename(id.text, to: name)
    try parent.sync()
  }
}

extension ArchiveStore {
  /// Makes the folder of a new archive, in use by the caller until it lets go of it.
  func create(_ id: ArchiveID, on day: CalendarDay) throws(ArchiveError) -> ArchiveFolder {
    try makeRoot()
    var parent = try DirectoryHandle(path: root)
    for component in day.components {
      try parent.makeDirectory(component)
      parent = try DirectoryHandle(component, in: parent)
    }
    parent.lockWhenFree()
    defer { parent.unlock() }
    try parent.makeDirectory(id.text)
    let folder = try openAndLock(id, in: parent)
    guard try folder.directory.names().isEmpty else { throw .inUse(id) }
    return folder
  }

  /// Opens an archive's folder for work that excludes recording and deletion.
  func open(_ id: ArchiveID, on day: CalendarDay) throws(ArchiveError) -> ArchiveFolder {
    let parent = try DirectoryHandle(path: path(of: day))
    // A recording that has just made its folder gets to lock it first.
    parent.lockWhenFree()
    defer { parent.unlock() }
    return try openAndLock(id, in: parent)
  }

  private func openAndLock(_ id: ArchiveID, in parent: borrowing DirectoryHandle) throws(ArchiveError) -> ArchiveFolder
  {
    let directory = try DirectoryHandle(id.text, in: parent)
    guard directory.lock() else { throw .inUse(id) }
    return ArchiveFolder(id: id, directory: directory)
  }

  /// Removes the folder of an archive that could not be started.
  func discard(_ id: ArchiveID, on day: CalendarDay) {
    for name in [ArchiveFolder.temporaryName, ArchiveFolder.manifestName] { unlink(path(id, on: day) + "/" + name) }
    rmdir(path(id, on: day))
    removeEmptyFolders(of: day)
  }

  /// Completes deletions that were interrupted on this day.
  func completeDeletions(on day: CalendarDay) throws(ArchiveError) {
    let parent = try DirectoryHandle(path: path(of: day))
    for name in try parent.names() where name.hasSuffix(Self.deletedSuffix) {
      try removeDirectory(name, in: parent)
    }
    removeEmptyFolders(of: day)
  }

  /// Removes a folder and what is in it. Follows no symbolic link.
  private func removeDirectory(_ name: String, in parent: borrowing DirectoryHandle) throws(ArchiveError) {
    let folder = try DirectoryHandle(name, in: parent)
    for entry in try folder.names() {
      do {
        try folder.removeFile(entry)
      } catch {
        guard error.errno == EISDIR || error.errno == EPERM else { throw error }
        try removeDirectory(entry, in: folder)
      }
    }
    try parent.removeDirectory(name)
  }

  /// Removes the folders of a day, month and year that hold nothing any more.
  private func removeEmptyFolders(of day: CalendarDay) {
    for depth in (1...3).reversed() {
      guard rmdir(([root] + day.components.prefix(depth)).joined(separator: "/")) == 0 else { return }
    }
  }
}

extension ArchiveStore {
  /// The days that have folders, in order.
  func days() throws(ArchiveError) -> [CalendarDay] {
    var days: [CalendarDay] = []
    for year in try numbers(in: []) {
      for month in try numbers(in: [year]) {
        for day in try numbers(in: [year, month]) {
          if let day = CalendarDay(components: [year, month, day]) { days.append(day) }
        }
      }
    }
    return days
  }

  /// Names in a folder that consist of digits; none if there is no such folder.
  private func numbers(in components: [String]) throws(ArchiveError) -> [String] {
    do {
      let names = try DirectoryHandle(path: ([root] + components).joined(separator: "/")).names()
      return names.filter { name in name.utf8.allSatisfy { (48...57).contains($0) } }
    } catch {
      guard error.errno == ENOENT else { throw error }
      return []
    }
  }

  /// The archives of one day, those in deletion left out.
  func ids(on day: CalendarDay) throws(ArchiveError) -> [ArchiveID] {
    try DirectoryHandle(path: path(of: day)).names().compactMap { ArchiveID($0) }
  }

  func day(of id: ArchiveID) throws(ArchiveError) -> CalendarDay {
    for day in try days().reversed() {
      if access(path(id, on: day), F_OK) == 0 { return day }
    }
    throw .notFound(id)
  }

  private func manifest(_ id: ArchiveID, on day: CalendarDay) throws(ArchiveError) -> ArchiveManifest {
    let directory = try DirectoryHandle(path: path(id, on: day))
    return try ArchiveFolder(id: id, directory: directory).manifest()
  }

  private func listing(_ id: ArchiveID, on day: CalendarDay) throws(ArchiveError) -> ArchiveListing {
    let folder = ArchiveFolder(id: id, directory: try DirectoryHandle(path: path(id, on: day)))
    return ArchiveListing(
      manifest: try folder.manifest(), path: path(id, on: day),
      isLocked: folder.directory.contains(ArchiveFolder.lockName))
  }

  func path(of day: CalendarDay) -> String { ([root] + day.components).joined(separator: "/") }

  func path(_ id: ArchiveID, on day: CalendarDay) -> String { path(of: day) + "/" + id.text }

  /// Makes the root folder and those above it.
  private func makeRoot() throws(ArchiveError) {
    var path = ""
    for component in root.split(separator: "/") {
      path += (path.isEmpty && !root.hasPrefix("/") ? "" : "/") + component
      guard mkdir(path, 0o750) == 0 || errno == EEXIST else { throw .last("mkdir") }
    }
  }
}
