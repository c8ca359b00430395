import CLinux
import Glibc
import MediaCore
import SystemSupport

/// Learns from the kernel that this machine's addresses or interfaces change (rtnetlink(7)).
///
/// The messages' contents are ignored: the addresses are reread when the bustle has passed, so a lost message (ENOBUFS)
/// does no harm. Confined to the network thread.
final class AddressWatch {
  /// An interface that comes up, or a renewed lease, is reported in several messages.
  private static let settlingTime = TimeSpan.milliseconds(500)

  /// For epoll; owned by this object.
  let fileDescriptor: CInt
  /// When the addresses should be read; `distantFuture` when nothing has changed.
  private(set) var deadline = MonotonicInstant.distantFuture

  init() throws(SystemCallError) {
    fileDescriptor = ls_address_changes_open()
    guard fileDescriptor >= 0 else { throw .last("bind(NETLINK_ROUTE)") }
  }

  deinit { close(fileDescriptor) }

  /// Takes what the kernel has reported. Further changes do not move ``deadline``, so that bustle cannot put it off for
  /// ever.
  func receive(now: MonotonicInstant) {
    guard ls_address_changes_drain(fileDescriptor) != 0, deadline == .distantFuture else { return }
    deadline = now + Self.settlingTime
  }

  /// Whether the addresses should be read now; true once for each ``deadline``.
  func takeDue(now: MonotonicInstant) -> Bool {
    guard deadline <= now else { return false }
    deadline = .distantFuture
    return true
  }
}
