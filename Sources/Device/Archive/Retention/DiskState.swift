import Glibc
import MediaCore

/// The disk that holds the archives.
public struct DiskState: Hashable, Sendable {
  /// Bytes that an unprivileged process may still write.
  public var free: UInt64
  public var capacity: UInt64

  public init(free: UInt64, capacity: UInt64) {
    self.free = free
    self.capacity = capacity
  }

  /// Of the folder, or the nearest above it where it is still to be made.
  public init?(nearest path: String) {
    var path = path[...]
    while true {
      if let state = DiskState(path: path.isEmpty ? "/" : String(path)) {
        self = state
        return
      }
      guard let slash = path.lastIndex(of: "/") else { return nil }
      path = path[..<slash]
    }
  }

  /// Asks the system; `nil` if there is no such folder.
  init?(path: String) {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    free = UInt64(status.f_bavail).saturatingMultiplied(by: UInt64(status.f_frsize))
    capacity = UInt64(status.f_blocks).saturatingMultiplied(by: UInt64(status.f_frsize))
  }
}
