import CLinux
import Glibc
public import MediaCore
public import SystemSupport

/// An eventfd: wakes one thread that waits in epoll or in ``wait(timeout:)``.
///
/// Safe from any thread: the kernel serialises reads and writes of the counter.
public final class EventDescriptor: Sendable {
  /// For epoll; owned by this object.
  public let fileDescriptor: CInt

  public init() throws(SystemCallError) {
    fileDescriptor = ls_eventfd()
    guard fileDescriptor >= 0 else { throw .last("eventfd") }
  }

  deinit { close(fileDescriptor) }

  /// Wakes the waiter, or makes its next wait return at once.
  public func signal() {
    var one: UInt64 = 1
    _ = write(fileDescriptor, &one, 8)
  }

  /// Forgets signals so far.
  public func drain() {
    var count: UInt64 = 0
    _ = read(fileDescriptor, &count, 8)
  }

  /// Blocks until signalled; returns false when `timeout` passes first. Consumes the signal.
  public func wait(timeout: TimeSpan? = nil) -> Bool {
    var entry = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = timeout.map { CInt(clamping: max(0, ($0 + TimeSpan(nanoseconds: 999_999)).milliseconds)) } ?? -1
    let count = poll(&entry, 1, milliseconds)
    guard count > 0 else { return false }
    drain()
    return true
  }
}
