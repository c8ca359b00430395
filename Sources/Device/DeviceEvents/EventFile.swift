import Glibc
import SystemSupport

/// Files and folders of events. Nothing here follows a symbolic link.
enum EventFile {
  private static let mode: mode_t = 0o640

  /// Appends all bytes and has them reach the disk.
  static func append(_ bytes: [UInt8], to file: String) throws(SystemCallError) {
    let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_APPEND, mode)
    guard descriptor >= 0 else { throw .last("open \(file)") }
    defer { close(descriptor) }
    do {
      try PrivateFile.write(bytes, to: descriptor)
    } catch {
      throw error.naming(file)
    }
    let error = FlushQueue.flush(.bytes(descriptor))
    guard error == 0 else { throw SystemCallError(call: "fdatasync \(file)", errno: error) }
  }

  /// Writes a file that appears whole or not at all.
  static func replace(_ file: String, with bytes: [UInt8]) throws(SystemCallError) {
    do {
      try PrivateFile.replace(file, with: bytes, mode: mode)
    } catch {
      throw error.naming(file)
    }
  }

  /// Makes a folder unless it is there.
  static func makeFolder(_ path: String) throws(SystemCallError) {
    guard mkdir(path, 0o750) != 0, errno != EEXIST else { return }
    throw .last("mkdir \(path)")
  }

  /// Bytes; 0 where nothing is.
  static func size(_ path: String) -> Int64 {
    var status = stat()
    return lstat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Whether the file's last line has no end.
  static func endsTorn(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var last: UInt8 = 0
    let end = lseek(descriptor, 0, SEEK_END)
    return end > 0 && pread(descriptor, &last, 1, end - 1) == 1 && last != UInt8(ascii: "\n")
  }

  /// Nothing where no file is, or one of more than `limit` bytes.
  static func contents(_ path: String, limit: Int64) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, Int64(status.st_size) <= limit else { return [] }
    var (bytes, filled) = ([UInt8](repeating: 0, count: Int(clamping: status.st_size)), 0)
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + filled, $0.count - filled) }
      guard count > 0 else { break }
      filled += count
    }
    return Array(bytes.prefix(filled))
  }
}
