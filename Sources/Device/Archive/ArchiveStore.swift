import Glibc
public import Signalling

/// The archives on a disk: `<root>/YYYY/MM/DD/<archiveID>/`, the day being that of the start in UTC.
///
/// Holds no state but the path, so copies are the same store. Its methods read the disk and may block: call them
/// from a thread that may.
public struct ArchiveStore: Sendable {
  public let root: String
  /// What evidence is made with; without it archives get none.
  let evidence: ArchiveEvidence?

  /// - Parameters:
  ///   - root: the folder of all archives; made when the first archive is.
  ///   - evidence: see ``ArchiveEvidence``; nil makes none.
  public init(root: String, evidence: ArchiveEvidence? = nil) {
    self.root = root
    self.evidence = evidence
  }

  /// The store that holds the archive whose folder is `path`; `nil` if no store has folders there.
  public init?(archivePath path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    guard parts.count > 4, let id = parts.last, ArchiveID(id) != nil,
      CalendarDay(components: Array(parts.suffix(4).dropLast())) != nil
    else { return nil }
    self.init(root: parts.dropLast(4).joined(separator: "/"))
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

  /// Opens a file that the archive's manifest names, or the manifest itself, to be handed out.
  public func openFile(_ id: ArchiveID, name: String) throws(ArchiveError) -> ArchiveFileReader {
    let folder = try openUnlocked(id, on: try day(of: id))
    if name != ArchiveFolder.manifestName {
      guard try folder.manifest().files.contains(where: { $0.filename == name }) else { throw .invalidName(name) }
    }
    return try ArchiveFileReader(name, in: folder.directory)
  }

  /// Deletes an archive, unless it is in use or locked. A deletion that a power cut interrupts is completed by
  /// ``ArchiveRecovery``.
  ///
  /// - Parameters:
  ///   - isForced: deletes a locked one too.
  ///   - sparesForeign: leaves what the recorder did not make in the archive's folder, which is no archive any more then;
  ///     otherwise all goes that is in it.
  public func delete(_ id: ArchiveID, isForced: Bool = false, sparesForeign: Bool = false) throws(ArchiveError) {
    let day = try day(of: id)
    let parent = try openDay(day)
    let name = id.text + Self.deletedSuffix
    let spared = try condemn(id, in: parent, as: name, isForced: isForced, sparesForeign: sparesForeign)
    // Not under the day's lock, for which a recording that begins would wait as long as the disk takes.
    try parent.sync()
    try parent.removeArchive(name, of: id, sparing: spared)
    removeEmptyFolders(of: day)
  }

  /// Renames the archive to a name that is no archive's. It cannot be locked in between.
  ///
  /// - Returns: names of what is to stay.
  private func condemn(
    _ id: ArchiveID, in parent: borrowing DirectoryHandle, as name: String, isForced: Bool, sparesForeign: Bool
  ) throws(ArchiveError) -> [String] {
    try parent.lockWhenFree()
    defer { parent.unlock() }
    let folder = try openAndLock(id, in: parent)
    guard isForced || !folder.directory.contains(ArchiveFolder.lockName) else { throw .locked(id) }
    let spared = sparesForeign ? try folder.foreignNames(besides: folder.manifest()) : []
    try parent.rename(id.text, to: name)
    return spared
  }
}

extension ArchiveStore {
  /// Makes the folder of a new archive, in use by the caller until it releases it. Waits for no disk: the folders above
  /// have to be synced, as many as ``ArchiveFolder/unsyncedParents`` says.
  func create(_ id: ArchiveID, on day: CalendarDay) throws(ArchiveError) -> ArchiveFolder {
    try DirectoryHandle.makeFolders(path: root)
    var parent = try DirectoryHandle(path: root)
    var newParents = 0
    for component in day.components {
      if try parent.makeDirectory(component) { newParents += 1 }
      parent = try DirectoryHandle(component, in: parent)
    }
    try parent.lockWhenFree()
    defer { parent.unlock() }
    _ = try parent.makeDirectory(id.text)
    var folder = try openAndLock(id, in: parent)
    guard try folder.directory.names().isEmpty else { throw .inUse(id) }
    folder.unsyncedParents = newParents + 1
    return folder
  }

  /// Opens an archive's folder for work that excludes recording and deletion.
  func open(_ id: ArchiveID, on day: CalendarDay) throws(ArchiveError) -> ArchiveFolder {
    let parent = try openDay(day)
    // A recording that has just made its folder gets to lock it first.
    try parent.lockWhenFree()
    defer { parent.unlock() }
    return try openAndLock(id, in: parent)
  }

  /// Opens an archive's folder for reading while it cannot change.
  func openShared(_ id: ArchiveID, on day: CalendarDay) throws(ArchiveError) -> ArchiveFolder {
    let parent = try openDay(day)
    try parent.lockWhenFree()
    defer { parent.unlock() }
    let directory = try DirectoryHandle(id.text, in: parent)
    guard directory.lockShared() else { throw .inUse(id) }
    return ArchiveFolder(id: id, directory: directory)
  }

  private func openAndLock(_ id: ArchiveID, in parent: borrowing DirectoryHandle) throws(ArchiveError) -> ArchiveFolder
  {
    let directory = try DirectoryHandle(id.text, in: parent)
    guard directory.lock() else { throw .inUse(id) }
    return ArchiveFolder(id: id, directory: directory)
  }
}

extension ArchiveStore {
  func manifest(_ id: ArchiveID, on day: CalendarDay) throws(ArchiveError) -> ArchiveManifest {
    try openUnlocked(id, on: day).manifest()
  }

  private func listing(_ id: ArchiveID, on day: CalendarDay) throws(ArchiveError) -> ArchiveListing {
    let folder = try openUnlocked(id, on: day)
    let manifest = try folder.manifest()
    return ArchiveListing(
      manifest: manifest, byteCount: manifest.status == .started ? folder.mediaByteCount : manifest.size,
      path: path(id, on: day),
      isLocked: folder.directory.contains(ArchiveFolder.lockName), isUploaded: folder.isUploaded)
  }

  /// Whether there is a manifest in an archive's folder, readable or not.
  public func hasManifest(_ id: ArchiveID) -> Bool {
    guard let day = try? day(of: id), let folder = try? openUnlocked(id, on: day) else { return false }
    return folder.directory.contains(ArchiveFolder.manifestName)
  }

  func path(of day: CalendarDay) -> String { ([root] + day.components).joined(separator: "/") }

  func path(_ id: ArchiveID, on day: CalendarDay) -> String { path(of: day) + "/" + id.text }
}
