import Glibc
import SystemSupport

/// Reads small files whole, without Foundation.
public enum BoundedFile {
  /// Returns the bytes of the file at `path`.
  ///
  /// - Throws: when it cannot be read or holds more than `maximumBytes`.
  public static func read(path: String, maximumBytes: Int) throws(ConfigValueError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw cannotRead(errno) }
    defer { close(file) }
    return try read(file, maximumBytes: maximumBytes)
  }

  static func read(_ file: CInt, maximumBytes: Int) throws(ConfigValueError) -> [UInt8] {
    let bytes: [UInt8]
    do {
      bytes = try PrivateFile.read(file, limit: maximumBytes + 1)
    } catch {
      throw cannotRead(error.errno)
    }
    guard bytes.count <= maximumBytes else { throw ConfigValueError("the file is larger than \(maximumBytes) bytes") }
    return bytes
  }

  static func cannotRead(_ code: CInt) -> ConfigValueError {
    let remedy: String? =
      switch code {
      case ENOENT: "create it, or name the right file"
      case EACCES: "check its owner and mode"
      default: nil
      }
    return ConfigValueError("cannot read the file: \(String(cString: strerror(code)))", remedy: remedy)
  }
}
