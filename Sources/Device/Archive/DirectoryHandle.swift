import Glibc
import RealtimeRuntime

/// An open folder; names are looked up in it and never followed out of it by a symbolic link.
struct DirectoryHandle: ~Copyable {
  let descriptor: CInt
  /// How files in it are written.
  var calls = DiskCalls()

  /// Opens a folder by path.
  init(path: String) throws(ArchiveError) {
    descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last("open") }
  }

  /// Opens a folder within `parent`.
  init(_ name: String, in parent: borrowing DirectoryHandle) throws(ArchiveError) {
    descriptor = openat(parent.descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw .last("openat") }
  }

  deinit { close(descriptor) }

  /// Makes a folder, unless there is one, such that it survives a power cut.
  func makeDirectory(_ name: String) throws(ArchiveError) {
    if mkdirat(descriptor, name, 0o750) == 0 { return try sync() }
    guard errno == EEXIST else { throw .last("mkdirat") }
  }

  /// Puts the folder's entries on the disk.
  func sync() throws(ArchiveError) {
    guard fsync(descriptor) == 0 else { throw .last("fsync") }
  }

  /// Marks the folder as being worked on, until `unlock()`. Returns false if somebody else did.
  func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  /// Waits until nobody else holds the lock; for short stretches.
  func lockWhenFree() {
    while flock(descriptor, LOCK_EX) != 0 && errno == EINTR {}
  }

  /// Ends the lock. Closing alone would keep it for as long as a process that was forked meanwhile has a copy of
  /// the descriptor.
  func unlock() { _ = flock(descriptor, LOCK_UN) }

  func rename(_ name: String, to newName: String) throws(ArchiveError) {
    guard renameat(descriptor, name, descriptor, newName) == 0 else { throw .last("renameat") }
  }

  func removeFile(_ name: String) throws(ArchiveError) {
    guard unlinkat(descriptor, name, 0) == 0 else { throw .last("unlinkat") }
  }

  /// Removes an empty folder.
  func removeDirectory(_ name: String) throws(ArchiveError) {
    guard unlinkat(descriptor, name, CInt(AT_REMOVEDIR)) == 0 else { throw .last("unlinkat") }
  }

  /// Whether somebody has removed the folder, which then takes files that nobody can find.
  var isRemoved: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_nlink == 0
  }

  /// The names in the folder, sorted, without `.` and `..`.
  func names() throws(ArchiveError) -> [String] {
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else { throw .last("fdopendir") }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
