import CLinux
import Glibc
import MediaCore
public import SystemSupport

/// Watches the wall clock: a timerfd fires at once when it is set; whether the kernel trusts it has to be asked for.
public enum ClockWatch {
  /// How often the kernel is asked while the clock is not synchronised, and while it is.
  private static let anxiousInterval = TimeSpan.seconds(2)
  private static let calmInterval = TimeSpan.seconds(60)

  /// Starts a thread that lives until the reader ends. A reader that is slow sees the newest 16 changes.
  public static func changes() throws(SystemCallError) -> AsyncStream<ClockChange> {
    let (stream, continuation) = AsyncStream.makeStream(of: ClockChange.self, bufferingPolicy: .bufferingNewest(16))
    let stop = try EventDescriptor()
    let timer = try ClockSetTimer()
    let thread = try MediaThread(name: "ls-clock", stackSize: 64 * 1024) {
      var comparison = ClockComparison(.now())
      while !timer.wait(timeout: comparison.last.isSynchronized ? calmInterval : anxiousInterval, unless: stop) {
        if let change = comparison.update(.now()) { continuation.yield(change) }
      }
    }
    thread.detach()
    continuation.onTermination = { _ in stop.signal() }
    return stream
  }
}

/// A timerfd that never expires but becomes readable when the wall clock is set (`TFD_TIMER_CANCEL_ON_SET`).
private final class ClockSetTimer: Sendable {
  private let descriptor: CInt

  init() throws(SystemCallError) {
    descriptor = ls_clock_set_timerfd()
    guard descriptor >= 0 else { throw .last("timerfd_create") }
  }

  deinit { close(descriptor) }

  /// Blocks until the clock is set or `timeout` has passed; returns whether `stop` was signalled.
  func wait(timeout: TimeSpan, unless stop: EventDescriptor) -> Bool {
    var entries = [descriptor, stop.fileDescriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    poll(&entries, nfds_t(entries.count), CInt(timeout.milliseconds))
    var count: UInt64 = 0
    // Fails with ECANCELED, which is the message.
    if entries[0].revents != 0 { _ = read(descriptor, &count, 8) }
    return entries[1].revents != 0
  }
}
