import Glibc
public import Signalling

extension ArchiveStore {
  /// Keeps an archive from being deleted until ``unlock(_:)``, also one that is being recorded. Harmless to repeat;
  /// survives a power cut.
  public func lock(_ id: ArchiveID) throws(ArchiveError) {
    try withFolderKept(id) { (folder: borrowing DirectoryHandle) throws(ArchiveError) in
      guard !folder.contains(ArchiveFolder.lockName) else { return }
      _ = try ArchiveFile(creating: ArchiveFolder.lockName, in: folder)
    }
  }

  /// Lets an archive be deleted again. Harmless when it is not locked.
  public func unlock(_ id: ArchiveID) throws(ArchiveError) {
    try withFolderKept(id) { (folder: borrowing DirectoryHandle) throws(ArchiveError) in
      guard folder.contains(ArchiveFolder.lockName) else { return }
      try folder.removeFile(ArchiveFolder.lockName)
    }
  }

  /// Whether an archive is kept from being deleted.
  public func isLocked(_ id: ArchiveID) throws(ArchiveError) -> Bool {
    try openUnlocked(id, on: try day(of: id)).directory.contains(ArchiveFolder.lockName)
  }

  /// Carries `body` out on an archive's folder while it cannot be deleted, and syncs its entries; a recording that
  /// begins does not wait for that.
  func withFolderKept(
    _ id: ArchiveID, _ body: (borrowing DirectoryHandle) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    let parent = try openDay(try day(of: id))
    try parent.lockWhenFree()
    let folder: DirectoryHandle
    do {
      defer { parent.unlock() }
      folder = try DirectoryHandle(id.text, in: parent)
      try body(folder)
    }
    try folder.sync()
  }
}

extension DirectoryHandle {
  /// Whether there is anything of this name.
  func contains(_ name: String) -> Bool { faccessat(descriptor, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 }

  /// Takes a shared lock for reading, until `unlock()`. Returns false if the folder is being worked on.
  func lockShared() -> Bool { flock(descriptor, LOCK_SH | LOCK_NB) == 0 }
}
