import CLinux
import Glibc
public import SystemSupport

/// An epoll instance that watches descriptors for input, and for output on demand; tokens say which are ready.
public struct Epoll: ~Copyable {
  private let descriptor: CInt

  public init() throws(SystemCallError) {
    descriptor = ls_epoll_create()
    guard descriptor >= 0 else { throw .last("epoll_create1") }
  }

  deinit { close(descriptor) }

  /// Watches `fileDescriptor`; it leaves the set by being closed.
  public func add(_ fileDescriptor: CInt, token: UInt64) throws(SystemCallError) {
    guard ls_epoll_add(descriptor, fileDescriptor, token) == 0 else { throw .last("epoll_ctl") }
  }

  /// Changes whether a descriptor of the set is watched for output, too.
  public func watchOutput(of fileDescriptor: CInt, token: UInt64, _ isWanted: Bool) throws(SystemCallError) {
    guard ls_epoll_watch_output(descriptor, fileDescriptor, token, isWanted ? 1 : 0) == 0 else {
      throw .last("epoll_ctl")
    }
  }

  /// Blocks until something is ready and calls `body` with each token.
  public func wait(_ body: (UInt64) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 16) { tokens in
      let count = ls_epoll_wait(descriptor, tokens.baseAddress, 16, -1)
      for index in 0..<max(0, Int(count)) { body(tokens[index]) }
    }
  }
}
