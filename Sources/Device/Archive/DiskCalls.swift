import CLinux
import Glibc
import SystemSupport

/// The system calls that put bytes on a disk, so that tests can have them fail, or take their time.
struct DiskCalls: Sendable {
  var write: @Sendable (CInt, UnsafeRawBufferPointer, off_t) -> Int = { descriptor, bytes, offset in
    pwrite(descriptor, bytes.baseAddress, bytes.count, offset)
  }
  /// Hands a file's bytes to the disk, which may keep them in its cache.
  var writeOut: @Sendable (CInt) -> CInt = { ls_write_out($0) }
  /// How large a file may become in an open folder, in octets; `nil` if nothing is known of a limit.
  var largestFile: @Sendable (CInt) -> UInt64? = { FileSizeLimit.known(in: $0) }
  var sync: @Sendable (CInt) -> CInt = { fdatasync($0) }
  /// Puts a folder's entries on the disk.
  var syncFolder: @Sendable (CInt) -> CInt = { fsync($0) }
  /// In which flushes wait; nil for that of the file system, whose barrier makes neither of the two calls above.
  var queue: FlushQueue?
}
