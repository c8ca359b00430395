internal import Glibc
public import SystemSupport

/// A system call failed.
public struct SystemCallError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The call, for example `epoll_create1`.
  public let call: String
  public let errno: Int32

  public init(call: String, errno: Int32) {
    self.call = call
    self.errno = errno
  }

  /// What went wrong with a file.
  public init(_ failure: PrivateFile.Failure, _ file: String) {
    self.init(call: "\(failure.call) \(file)", errno: failure.errno)
  }

  /// Reads the calling thread's `errno`.
  public static func last(_ call: String) -> SystemCallError {
    SystemCallError(call: call, errno: Glibc.errno)
  }

  public var description: String { "\(call): \(String(cString: strerror(errno)))" }
}
