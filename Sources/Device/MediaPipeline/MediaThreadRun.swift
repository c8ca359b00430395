internal import MediaCore
internal import RealtimeRuntime
internal import Synchronization
internal import SystemSupport

/// One life of a media thread, from start to stop.
///
/// The thread is never joined, since a driver may hold it: its successor waits a while for it to finish and then
/// continues without it. One that returns late sees that it is stopped before it publishes anything.
final class MediaThreadRun: Sendable {
  private let isStopRequested = Atomic<Bool>(false)
  /// Readable when stop was requested or something has changed, so that waits end.
  let interruption: EventDescriptor
  private let finished: EventDescriptor

  /// How long a new run waits for the one before to close its device.
  private static let timeout = TimeSpan.seconds(2)

  init() throws(SystemCallError) {
    interruption = try EventDescriptor()
    finished = try EventDescriptor()
  }

  var isStopped: Bool { isStopRequested.load(ordering: .acquiring) }

  func stop() {
    isStopRequested.store(true, ordering: .releasing)
    interruption.signal()
  }

  /// Starts the thread, which runs `body` when the run before has ended.
  func begin(name: String, after predecessor: MediaThreadRun?, _ body: @escaping @Sendable () -> Void)
    throws(SystemCallError)
  {
    let thread = try MediaThread(name: name) {
      _ = predecessor?.waitUntilFinished(timeout: Self.timeout)
      body()
      self.finished.signal()
    }
    thread.detach()
  }

  /// Blocks until the thread has closed its device and ended; returns false after `timeout`.
  func waitUntilFinished(timeout: TimeSpan) -> Bool {
    let isFinished = finished.wait(timeout: timeout)
    // Others may wait for the same.
    if isFinished { finished.signal() }
    return isFinished
  }

  /// Blocks until `instant`, until stop is requested, or until ``wake()`` is called.
  func wait(until instant: MonotonicInstant) {
    let duration = instant - MonotonicClock.now()
    if duration > .zero { _ = interruption.wait(timeout: duration) }
  }

  /// Ends a wait, since something has changed.
  func wake() { interruption.signal() }

  /// Blocks for `duration`, or until stop is requested.
  func pause(_ duration: TimeSpan) {
    if !isStopped { _ = interruption.wait(timeout: duration) }
  }
}
