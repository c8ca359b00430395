import Glibc

/// A system call failed.
public struct SystemCallError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The call, for example `epoll_create1`.
  public let call: String
  public let errno: Int32

  public init(call: String, errno: Int32) {
    self.call = call
    self.errno = errno
  }

  /// The same, with the name of the file that the call was about.
  public func naming(_ file: String) -> SystemCallError { SystemCallError(call: "\(call) \(file)", errno: errno) }

  /// Reads the calling thread's `errno`.
  public static func last(_ call: String) -> SystemCallError {
    SystemCallError(call: call, errno: Glibc.errno)
  }

  public var description: String { "\(call): \(String(cString: strerror(errno)))" }
}
