internal import Glibc
internal import SystemSupport

/// A regular file that is read at offsets.
struct FrameFile: ~Copyable {
  private let path: String
  private let descriptor: CInt

  init(path: String) throws(SourceFailure) {
    self.path = path
    // A FIFO would block until it is written to.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw SourceFailure(reason: "\(path): \(SystemCallError.last("open"))") }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw SourceFailure(reason: "\(path): not a regular file")
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Fills the first `count` bytes of `target` from `offset` on; returns how many the file had.
  func read(into target: inout [UInt8], count: Int, at offset: Int64) throws(SourceFailure) -> Int {
    try checked(target.withUnsafeMutableBytes { fill($0.baseAddress!, count: count, at: offset) })
  }

  /// Fills `count` bytes at `target` from `offset` on; returns how many the file had.
  func read(into target: UnsafeMutableRawPointer, count: Int, at offset: Int64) throws(SourceFailure) -> Int {
    try checked(fill(target, count: count, at: offset))
  }

  /// Nil when reading fails, with `errno`.
  private func fill(_ target: UnsafeMutableRawPointer, count: Int, at offset: Int64) -> Int? {
    var filled = 0
    while filled < count {
      let result = pread(descriptor, target + filled, count - filled, off_t(offset) + off_t(filled))
      if result < 0, errno == EINTR { continue }
      guard result >= 0 else { return nil }
      guard result > 0 else { break }
      filled += result
    }
    return filled
  }

  private func checked(_ count: Int?) throws(SourceFailure) -> Int {
    guard let count else { throw failure("\(SystemCallError.last("read"))") }
    return count
  }

  func failure(_ reason: String) -> SourceFailure { SourceFailure(reason: "\(path): \(reason)") }
}
