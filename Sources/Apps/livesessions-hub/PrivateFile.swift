import Foundation

/// A new file that only its owner may read, made before there is anything to write.
struct PrivateFile {
  private let descriptor: Int32
  private let path: String

  init(path: String) throws {
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    self.path = path
    guard descriptor >= 0 else { throw Failure("\(path): \(String(cString: strerror(errno)))") }
  }

  /// Writes one line and closes the file.
  func write(_ line: String) throws {
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: Data((line + "\n").utf8))
      try handle.synchronize()
    } catch {
      throw Failure("\(path): \(error.localizedDescription)")
    }
  }
}
