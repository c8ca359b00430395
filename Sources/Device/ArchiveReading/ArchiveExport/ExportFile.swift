import Glibc

/// A file in the making: it lies beside its place under another name until it is whole.
///
/// Nothing is left behind when the value goes without ``commit()``.
final class ExportFile {
  let path: String
  /// Where it lies meanwhile.
  let temporaryPath: String
  private let replaces: Bool
  private let descriptor: CInt
  private let syncFolder: (CInt) -> CInt
  private var offset: off_t = 0
  private var isCommitted = false

  /// - Parameters:
  ///   - replaces: whether a file that is there may be replaced.
  ///   - syncFolder: puts a folder's entries on the disk.
  init(
    path: String, replaces: Bool, syncFolder: @escaping (CInt) -> CInt = { fsync($0) }
  ) throws(ExportError) {
    self.path = path
    self.syncFolder = syncFolder
    self.replaces = replaces
    guard replaces || access(path, F_OK) != 0 else { throw .exists(path: path) }
    temporaryPath = Self.temporaryPath(path)
    unlink(temporaryPath)
    descriptor = open(temporaryPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { throw .system(path: path, errno: errno) }
  }

  deinit {
    close(descriptor)
    if !isCommitted { unlink(temporaryPath) }
  }

  /// A hidden name in the same folder, so that it can be moved into place.
  private static func temporaryPath(_ path: String) -> String {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    return "\(path[..<slash]).\(path[slash...].prefix(60)).\(getpid()).part"
  }

  var byteCount: UInt64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? UInt64(status.st_size) : 0
  }

  func append(_ bytes: RawSpan) throws(ExportError) {
    try write(bytes, at: offset)
    offset += off_t(bytes.byteCount)
  }

  func write(_ bytes: RawSpan, at offset: off_t) throws(ExportError) {
    var written = 0
    while written < bytes.byteCount {
      let count = bytes.withUnsafeBytes { source in
        pwrite(descriptor, source.baseAddress! + written, source.count - written, offset + off_t(written))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .system(path: path, errno: count == 0 ? EIO : errno) }
      written += count
    }
  }

  /// Puts the file on the disk and in its place.
  func commit() throws(ExportError) {
    guard fsync(descriptor) == 0 else { throw .system(path: path, errno: errno) }
    guard move() else { throw errno == EEXIST ? .exists(path: path) : .system(path: path, errno: errno) }
    isCommitted = true
    try putNameOnDisk()
  }

  /// The folder, too, has to be on the disk, or a power cut takes the name away. File systems that cannot say so
  /// (EINVAL) are left to themselves.
  private func putNameOnDisk() throws(ExportError) {
    let folder = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // Permission to make files in a folder does not imply permission to open it.
    guard folder >= 0 else { return }
    defer { close(folder) }
    guard syncFolder(folder) == 0 || errno == EINVAL else { throw .system(path: path, errno: errno) }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Moves it, in one step even if a file of the name appears meanwhile, where the file system can.
  private func move() -> Bool {
    if replaces { return rename(temporaryPath, path) == 0 }
    if link(temporaryPath, path) == 0 { return unlink(temporaryPath) == 0 }
    guard errno != EEXIST else { return false }
    // FAT has no hard links.
    return access(path, F_OK) != 0 && rename(temporaryPath, path) == 0
  }
}
