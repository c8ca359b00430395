import Glibc
import RealtimeRuntime

/// An open folder; names are looked up in it and never followed out of it by a symbolic link.
struct DirectoryHandle: ~Copyable {
  let descriptor: CInt
  /// How files in it are written.
  var calls = DiskCalls()

  /// More names than this in one folder are none of ours.
  static let maxNames = 65_536
  private static let longestLockWait = 250
  private static let lockPause: UInt32 = 20_000

  /// Opens a folder by path. Links in it are followed, so only for paths that the administrator has set.
  init(path: String) throws(ArchiveError) {
    descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last("open") }
  }

  /// Opens a folder within `parent`.
  init(_ name: String, in parent: borrowing DirectoryHandle) throws(ArchiveError) {
    calls = parent.calls
    descriptor = openat(parent.descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw .last("openat") }
  }

  /// Opens the folder above.
  init(parentOf folder: borrowing DirectoryHandle) throws(ArchiveError) {
    calls = folder.calls
    descriptor = openat(folder.descriptor, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last("openat") }
  }

  deinit { close(descriptor) }

  /// Makes a folder by path, and those above it, unless they are there. Waits for the disk if one of them is new.
  static func makeFolders(path: String) throws(ArchiveError) {
    var made = path.hasPrefix("/") ? "/" : "."
    for component in path.split(separator: "/") {
      let parent = made
      made += "/" + component
      if mkdir(made, 0o750) == 0 {
        // Permission to make folders in it does not imply permission to open it.
        try? DirectoryHandle(path: parent).sync()
      } else if errno != EEXIST {
        throw .last("mkdir")
      }
    }
  }

  /// Makes a folder, unless there is one. It survives a power cut once this folder has been synced.
  ///
  /// - Returns: whether it is new.
  func makeDirectory(_ name: String) throws(ArchiveError) -> Bool {
    guard mkdirat(descriptor, name, 0o750) == 0 else {
      if errno == EEXIST { return false }
      throw .last("mkdirat")
    }
    if geteuid() == 0 { giveOwner(to: try DirectoryHandle(name, in: self).descriptor) }
    return true
  }

  /// Gives what root has made to the folder's owner: the daemon must be able to read what an administrator has changed
  /// manually.
  func giveOwner(to new: CInt) {
    var status = stat()
    guard geteuid() == 0, fstat(descriptor, &status) == 0 else { return }
    _ = fchown(new, status.st_uid, status.st_gid)
  }

  /// Puts the folder's entries on the disk.
  func sync() throws(ArchiveError) {
    try DiskSync.check(pendingSync.perform())
  }

  /// What is left to be done after files were made here.
  var pendingSync: DiskSync { DiskSync(descriptor: descriptor, calls: calls, target: .folder) }

  /// What is left to be done after this many folders above got new entries.
  func pendingSyncs(ofParents count: Int) -> [DiskSync] {
    (0..<count).map { DiskSync(descriptor: descriptor, calls: calls, target: .parent($0 + 1)) }
  }

  /// Marks the folder as being worked on, until `unlock()`. Returns false if it already is.
  func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  /// Waits until the lock is free; for short stretches. Any reader of the folder may lock it too, so the wait ends
  /// after five seconds with an error.
  func lockWhenFree() throws(ArchiveError) {
    for _ in 0..<Self.longestLockWait {
      if lock() { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { break }
      usleep(Self.lockPause)
    }
    throw .last("flock")
  }

  /// Ends the lock. Closing alone would keep it for as long as a process that was forked meanwhile has a copy of
  /// the descriptor.
  func unlock() { _ = flock(descriptor, LOCK_UN) }

  func rename(_ name: String, to newName: String) throws(ArchiveError) {
    guard renameat(descriptor, name, descriptor, newName) == 0 else { throw .last("renameat") }
  }

  /// Writes a small file of a temporary name, which takes the place of the present one: it appears whole or not at all. It
  /// keeps its place once the folder has been synced.
  func replace(_ name: String, by temporary: String, with bytes: [UInt8]) throws(ArchiveError) {
    if contains(temporary) { try removeFile(temporary) }
    var file = try ArchiveFile(creating: temporary, in: self)
    try file.append(bytes.span.bytes)
    try rename(temporary, to: name)
  }

  func removeFile(_ name: String) throws(ArchiveError) {
    guard unlinkat(descriptor, name, 0) == 0 else { throw .last("unlinkat") }
  }

  /// Removes an empty folder.
  func removeDirectory(_ name: String) throws(ArchiveError) {
    guard unlinkat(descriptor, name, CInt(AT_REMOVEDIR)) == 0 else { throw .last("unlinkat") }
  }

  /// Whether the folder has been removed, and takes files that no reader can find.
  var isRemoved: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_nlink == 0
  }

  /// The names in the folder, sorted, without `.` and `..`.
  ///
  /// - Parameter limit: no more are read, whichever come first.
  func names(limit: Int = maxNames) throws(ArchiveError) -> [String] {
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else { throw .last("fdopendir") }
    defer { closedir(stream) }
    var names: [String] = []
    while names.count < limit, let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
