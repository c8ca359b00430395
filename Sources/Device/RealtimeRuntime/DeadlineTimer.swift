import CLinux
import Glibc
public import MediaCore
public import SystemSupport

/// A timerfd on CLOCK_MONOTONIC that becomes readable at one instant.
public struct DeadlineTimer: ~Copyable {
  /// For epoll; owned by this value.
  public let fileDescriptor: CInt
  private var armed: MonotonicInstant?

  public init() throws(SystemCallError) {
    fileDescriptor = ls_timerfd()
    guard fileDescriptor >= 0 else { throw .last("timerfd_create") }
  }

  deinit { close(fileDescriptor) }

  /// Sets the next expiry; nil disarms. Costs a system call only when the instant changes.
  public mutating func set(_ deadline: MonotonicInstant?) {
    guard deadline != armed else { return }
    armed = deadline
    let nanoseconds = deadline.map { max(1, $0.nanoseconds) } ?? 0
    _ = ls_timerfd_set(fileDescriptor, nanoseconds)
  }

  /// Forgets an expiry that has been noticed.
  public mutating func acknowledge() {
    var count: UInt64 = 0
    _ = read(fileDescriptor, &count, 8)
    armed = nil
  }
}
