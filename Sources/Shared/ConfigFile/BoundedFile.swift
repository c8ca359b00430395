import Glibc

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
    var bytes: [UInt8] = []
    while bytes.count <= maximumBytes {
      let capacity = min(maximumBytes + 1 - bytes.count, 16_384)
      var failure: CInt = 0
      let chunk = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
        let result = Glibc.read(file, buffer.baseAddress, capacity)
        count = max(result, 0)
        if result < 0 { failure = errno }
      }
      if failure == EINTR { continue }
      guard failure == 0 else { throw cannotRead(failure) }
      if chunk.isEmpty { return bytes }
      bytes += chunk
    }
    throw ConfigValueError("the file is larger than \(maximumBytes) bytes")
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
