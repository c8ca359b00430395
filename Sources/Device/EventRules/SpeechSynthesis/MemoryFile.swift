internal import CLinux
internal import Glibc

/// A file without a name, in memory; gone with this value.
public struct MemoryFile: ~Copyable {
  let descriptor: CInt

  /// - Parameter name: shown among the descriptors of the process.
  init(name: String) throws(SpeechSynthesisError) {
    descriptor = ls_memory_file(name)
    guard descriptor >= 0 else { throw .system("memfd_create", code: errno) }
  }

  deinit { close(descriptor) }

  /// Opens the file from its beginning, in this process.
  public var path: String { "/proc/self/fd/\(descriptor)" }

  var byteCount: Int64 { Int64(lseek(descriptor, 0, SEEK_END)) }

  /// Holds `text` afterwards, to be read from its beginning.
  mutating func fill(with text: String) throws(SpeechSynthesisError) {
    let bytes = Array(text.utf8)
    guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { throw .system("pwrite", code: errno) }
  }
}
