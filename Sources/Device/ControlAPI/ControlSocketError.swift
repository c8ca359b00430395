import Glibc

/// Why the control socket cannot be opened.
public enum ControlSocketError: Error, Sendable, Hashable {
  /// The path does not fit into a socket address (107 bytes).
  case pathTooLong(String)
  /// Another process listens at this path.
  case inUse(path: String)
  /// Something that is not a socket stands at this path; it is left alone.
  case notASocket(path: String)
  /// A system call failed; with the value of errno.
  case systemCall(String, path: String, code: CInt)
}

extension ControlSocketError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .pathTooLong(let path): "the control socket's path is too long: \(path)"
    case .inUse(let path): "another daemon listens at \(path)"
    case .notASocket(let path): "\(path) exists and is not a socket; remove it or choose another path"
    case .systemCall(let name, let path, let code): "\(name) failed for \(path): \(String(cString: strerror(code)))"
    }
  }
}
