internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread that reads a device until it is asked to end; it is started once, and waits on the device and on ``alarm``.
public final class ReaderThread: Sendable {
  /// Milliseconds that the thread may take to notice that it is to end, where there is no alarm.
  private static let slice: CInt = 500

  /// Readable when the thread is to end; -1 if there is none, which poll(2) takes no notice of. Do not close it.
  public let alarm = ls_eventfd()
  private let isStopped = Atomic(false)

  public init() {}

  deinit { if alarm >= 0 { close(alarm) } }

  /// - Parameters:
  ///   - name: shown by `ps -L` and `top -H`; at most 15 bytes count.
  ///   - body: runs with all signals blocked, which are left to other threads.
  public func start(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemCallError) {
    try MediaThread(name: name) {
      var signals = sigset_t()
      sigfillset(&signals)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      body()
    }.detach()
  }

  /// Asks the thread to end; it does at once, unless it hangs in a call.
  public func stop() {
    isStopped.store(true, ordering: .relaxed)
    var one: UInt64 = 1
    _ = write(alarm, &one, 8)
  }

  public var isRunning: Bool { !isStopped.load(ordering: .relaxed) }

  /// Milliseconds that a wait on device and alarm may last; negative without limit.
  public var longestWait: CInt { alarm < 0 ? Self.slice : -1 }

  /// Waits for the alarm alone, at most so many milliseconds; returns at once if the thread is to end.
  public func rest(milliseconds: Int64) {
    guard isRunning else { return }
    var entry = pollfd(fd: alarm, events: Int16(POLLIN), revents: 0)
    poll(&entry, 1, CInt(clamping: milliseconds))
  }
}
