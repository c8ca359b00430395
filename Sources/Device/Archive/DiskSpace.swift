import Glibc
import MediaCore

/// Free space on the disk that holds a folder.
enum DiskSpace {
  /// Bytes that an unprivileged process may still write; `nil` if the system does not report it.
  static func available(_ folder: borrowing DirectoryHandle) -> UInt64? {
    var status = statvfs()
    guard fstatvfs(folder.descriptor, &status) == 0 else { return nil }
    return UInt64(status.f_bavail).saturatingMultiplied(by: UInt64(status.f_frsize))
  }
}
