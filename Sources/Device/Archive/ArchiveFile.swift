import Glibc
import SystemSupport
import WebM

/// An open file of an archive. Every write is on the disk when the call returns, but for buffered ones, which are when
/// ``pendingSync`` has been performed.
///
/// Only regular files are opened, never through a link: a pipe would block, and opening a device may set it going.
struct ArchiveFile: ~Copyable {
  private let descriptor: CInt
  private let calls: DiskCalls
  private(set) var byteCount: UInt64
  /// Behind it nothing is read.
  private var readEnd: UInt64 = .max

  /// Opens a file for reading, or for repair.
  ///
  /// - Parameter isOurs: whether it must have no other name: what is written to it, or handed out of it, could be
  ///   another program's file that was linked here.
  init(
    _ name: String, in folder: borrowing DirectoryHandle, isWritable: Bool = false, isOurs: Bool? = nil
  ) throws(ArchiveError) {
    byteCount = 0
    calls = folder.calls
    descriptor = Self.openRegular(name, in: folder, isWritable ? O_RDWR : O_RDONLY)
    guard descriptor >= 0 else { throw errno == EINVAL || errno == ELOOP ? .notRegular(name) : .last("openat") }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .last("fstat") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular(name) }
    guard !(isOurs ?? isWritable) || status.st_nlink <= 1 else { throw .hardLinked(name) }
    guard !Self.isHollow(descriptor, status) else { throw .hollow(name) }
    byteCount = UInt64(max(0, status.st_size))
  }

  /// Whether a file claims to be much larger than its space on the disk: reading it through would take forever. Ours
  /// have no holes. File systems that report neither cannot have such files.
  private static func isHollow(_ descriptor: CInt, _ status: stat) -> Bool {
    guard status.st_size > largestHollow else { return false }
    let hole = lseek(descriptor, 0, seekHole)
    return hole >= 0 && hole < status.st_size && status.st_blocks < status.st_size / 16 / 512
  }

  private static let largestHollow: off_t = 256 * 1_048_576
  /// `SEEK_HOLE` of lseek(2).
  private static let seekHole: CInt = 4

  /// Checks the name before it is opened; has to be repeated afterwards, since it may change in between.
  ///
  /// - Returns: the descriptor, or -1 with `errno`; EINVAL for what is no regular file.
  private static func openRegular(_ name: String, in folder: borrowing DirectoryHandle, _ mode: CInt) -> CInt {
    var status = stat()
    guard fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return -1 }
    guard status.st_mode & S_IFMT == S_IFREG else {
      errno = EINVAL
      return -1
    }
    return openat(folder.descriptor, name, mode | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
  }

  /// Reads as if the file ended there: it may grow while its beginning is read more than once.
  mutating func limitReading(to end: UInt64) {
    readEnd = end
    byteCount = min(byteCount, end)
  }

  /// Makes a file; fails if there is one of this name.
  init(creating name: String, in folder: borrowing DirectoryHandle) throws(ArchiveError) {
    calls = folder.calls
    descriptor = openat(folder.descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o640)
    guard descriptor >= 0 else { throw .last("openat") }
    byteCount = 0
    folder.giveOwner(to: descriptor)
  }

  deinit { close(descriptor) }

  /// Whether there is nothing but zeros: bytes that a power cut kept from the disk. Reads up to the first other byte.
  var isBlank: Bool {
    get throws(ArchiveError) {
      var chunk = [UInt8](repeating: 0, count: 64 * 1024)
      var offset: UInt64 = 0
      while true {
        let count = try bytes(at: offset, into: &chunk)
        guard count > 0 else { return true }
        guard chunk.prefix(count).allSatisfy({ $0 == 0 }) else { return false }
        offset += UInt64(count)
      }
    }
  }

  /// Whether the file has been removed, and takes bytes that no reader can find.
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
    try writeBuffered(bytes, at: offset)
    try sync()
  }

  /// What is left to be done after buffered writes.
  var pendingSync: DiskSync { DiskSync(descriptor: descriptor, calls: calls) }

  /// Writes at the end, without waiting for the disk.
  mutating func appendBuffered(_ bytes: RawSpan) throws(ArchiveError) {
    try writeBuffered(bytes, at: byteCount)
    byteCount += UInt64(bytes.byteCount)
  }

  /// Cuts off what a write that failed has left behind the end.
  mutating func dropTornEnd() throws(ArchiveError) { try truncateBuffered(to: byteCount) }

  /// Overwrites bytes, without waiting for the disk.
  func writeBuffered(_ bytes: RawSpan, at offset: UInt64) throws(ArchiveError) {
    var written = 0
    while written < bytes.byteCount {
      let count = bytes.withUnsafeBytes { source in
        calls.write(descriptor, UnsafeRawBufferPointer(rebasing: source[written...]), off_t(offset) + off_t(written))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw count == 0 ? .system(SystemCallError(call: "pwrite", errno: EIO)) : .last("pwrite") }
      written += count
    }
  }

  /// Cuts the file off and waits for the disk.
  mutating func truncate(to count: UInt64) throws(ArchiveError) {
    try truncateBuffered(to: count)
    try sync()
  }

  /// Cuts the file off, without waiting for the disk.
  mutating func truncateBuffered(to count: UInt64) throws(ArchiveError) {
    guard ftruncate(descriptor, off_t(count)) == 0 else { throw .last("ftruncate") }
    byteCount = count
  }

  /// Waits for the disk.
  func sync() throws(ArchiveError) { try DiskSync.check(pendingSync.perform()) }
}

extension ArchiveFile: WebMSource {
  mutating func read(at offset: UInt64, count: Int, into target: inout [UInt8]) throws(ArchiveError) -> Int {
    try bytes(at: offset, count: count, into: &target)
  }
}

extension ArchiveFile {
  /// Fills the array, or its beginning, and returns how much there was.
  ///
  /// - Parameter count: at most the array's; all of it by default.
  func bytes(at offset: UInt64, count: Int? = nil, into target: inout [UInt8]) throws(ArchiveError) -> Int {
    let left = readEnd > offset ? Int(clamping: readEnd - offset) : 0
    let count = min(count ?? target.count, target.count, left)
    guard offset <= UInt64(off_t.max - off_t(count)) else {
      throw .system(SystemCallError(call: "pread", errno: EOVERFLOW))
    }
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
