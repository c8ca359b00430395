internal import Foundation

/// Keeps all others out of a database file, damaged or not.
///
/// SQLite holds a shared lock on these bytes of a file with a write-ahead log for as long as a connection is open
/// (<https://sqlite.org/fileformat2.html#the_lock_byte_page>), and opens none that another process has locked.
struct DatabaseLock {
  private static let sharedFirst: off_t = 0x4000_0002
  private static let sharedSize: off_t = 510
  /// `F_OFD_SETLK` of fcntl(2), which Swift does not import.
  private static let setOpenFileLock: Int32 = 37

  private let descriptor: Int32

  /// - Returns: nil if there is no such file.
  /// - Throws: ``DatabaseBackupError/inUse(path:)``, or that of a system call.
  init?(_ path: String) throws(DatabaseBackupError) {
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .system(path: path, errno: errno)
    }
    var range = flock()
    range.l_type = Int16(F_WRLCK)
    range.l_whence = Int16(SEEK_SET)
    (range.l_start, range.l_len) = (Self.sharedFirst, Self.sharedSize)
    // Of the open file: it ends with `release()`, and not with any other descriptor of the process.
    guard fcntl(descriptor, Self.setOpenFileLock, &range) == 0 else {
      let code = errno
      close(descriptor)
      throw code == EAGAIN || code == EACCES ? .inUse(path: path) : .system(path: path, errno: code)
    }
  }

  func release() { close(descriptor) }
}
