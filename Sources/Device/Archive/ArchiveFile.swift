import Glibc
import RealtimeRuntime
import WebM

/// An open file of an archive. Every write is on the disk when the call returns.
struct ArchiveFile: ~Copyable {
  private let descriptor: CInt
  private let calls: DiskCalls
  private(set) var byteCount: UInt64

  /// Opens a file for reading, or for repair.
  init(_ name: String, in folder: borrowing DirectoryHandle, isWritable: Bool = false) throws(ArchiveError) {
    byteCount = 0
    calls = folder.calls
    descriptor = openat(folder.descriptor, name, (isWritable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw .last("openat") }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .last("fstat") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .system(SystemCallError(call: "openat", errno: EINVAL)) }
    byteCount = UInt64(status.st_size)
  }

  /// Makes a file; fails if there is one of this name.
  init(creating name: String, in folder: borrowing DirectoryHandle) throws(ArchiveError) {
    calls = folder.calls
    descriptor = openat(folder.descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o640)
    guard descriptor >= 0 else { throw .last("openat") }
    byteCount = 0
  }

  deinit { close(descriptor) }

  /// Whether somebody has removed the file, which goes on taking bytes that nobody can find.
  var isRemoved: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_nlink == 0
  }

  /// Writes at the end and waits for the disk.
  mutating func append(_ bytes: RawSpan) throws(ArchiveError) {
    try write(bytes, at: byteCount)
    byteCount += UInt64(bytes.byteCount)
  }

  /// Overwrites bytes and waits for the disk.
  func write(_ bytes: RawSpan, at offset: UInt64) throws(ArchiveError) {
    var written = 0
    while written < bytes.byteCount {
      let count = bytes.withUnsafeBytes { source in
        calls.write(descriptor, UnsafeRawBufferPointer(rebasing: source[written...]), off_t(offset) + off_t(written))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw count == 0 ? .system(SystemCallError(call: "pwrite", errno: EIO)) : .last("pwrite") }
      written += count
    }
    try sync()
  }

  /// Cuts the file off.
  mutating func truncate(to count: UInt64) throws(ArchiveError) {
    guard ftruncate(descriptor, off_t(count)) == 0 else { throw .last("ftruncate") }
    byteCount = count
    try sync()
  }

  private func sync() throws(ArchiveError) {
    while calls.sync(descriptor) != 0 {
      guard errno == EINTR else { throw .last("fdatasync") }
    }
  }
}

extension ArchiveFile: WebMSource {
  mutating func read(at offset: UInt64, count: Int, into target: inout [UInt8]) throws(ArchiveError) -> Int {
    var total = 0
    while total < count {
      let got = target.withUnsafeMutableBytes { buffer in
        pread(descriptor, buffer.baseAddress! + total, count - total, off_t(offset) + off_t(total))
      }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw .last("pread") }
      if got == 0 { break }
      total += got
    }
    return total
  }
}
