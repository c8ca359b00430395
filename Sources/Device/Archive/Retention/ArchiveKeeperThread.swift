import MediaCore
import RealtimeRuntime
import Synchronization

/// Runs an ``ArchiveKeeper``: at once, every minute, when asked to, and during a recording as soon as room runs short.
///
/// During a recording it looks at the free space each second, which is one system call; without one, each minute.
public final class ArchiveKeeperThread: Sendable {
  private struct Orders {
    var recordings = 0
    var isAsked = true
    var isStopping = false
  }

  private let keeper: ArchiveKeeper
  private let onKeeping: @Sendable (ArchiveKeeping) -> Void
  private let orders = Mutex(Orders())
  private let wake: EventDescriptor
  private let thread = Mutex<MediaThread?>(nil)

  private static let interval = TimeSpan.seconds(60)
  private static let watchInterval = TimeSpan.seconds(1)
  /// How soon it is tried again when nothing could be deleted.
  private static let retryInterval = TimeSpan.seconds(10)

  /// Starts the thread.
  ///
  /// - Parameter onKeeping: called on the thread.
  public init(_ keeper: ArchiveKeeper, onKeeping: @escaping @Sendable (ArchiveKeeping) -> Void) throws(ArchiveError) {
    self.keeper = keeper
    self.onKeeping = onKeeping
    do {
      wake = try EventDescriptor()
      let thread = try MediaThread(name: "archive-keeper") { [self] in run() }
      self.thread.withLock { $0 = thread }
    } catch {
      throw .system(error)
    }
  }

  /// A recording has started.
  public func recordingStarted() {
    orders.withLock { $0.recordings += 1 }
    keepSoon()
  }

  /// A recording has ended.
  public func recordingEnded() {
    orders.withLock { $0.recordings = max(0, $0.recordings - 1) }
    keepSoon()
  }

  /// Keeps now, for example after limits changed. Does not wait for it.
  public func keepSoon() {
    orders.withLock { $0.isAsked = true }
    wake.signal()
  }

  /// Ends the thread, and waits for the deletion under way. Call before letting go of it; harmless to repeat.
  public func stop() {
    orders.withLock { $0.isStopping = true }
    wake.signal()
    thread.withLock { $0.take() }?.join()
  }

  private func run() {
    var next = MonotonicClock.now()
    while true {
      let order = orders.withLock { orders in
        defer { orders.isAsked = false }
        return orders
      }
      if order.isStopping { return }
      let now = MonotonicClock.now()
      if order.isAsked || now >= next || mustHurry(order, next: next, now: now) {
        for keeping in keeper.keep() { onKeeping(keeping) }
        next = MonotonicClock.now() + Self.interval
      }
      _ = wake.wait(timeout: order.recordings > 0 ? Self.watchInterval : Self.interval)
    }
  }

  /// Whether a recording needs room before the next regular turn.
  private func mustHurry(_ order: Orders, next: MonotonicInstant, now: MonotonicInstant) -> Bool {
    guard order.recordings > 0, keeper.isSpaceShort else { return false }
    return !keeper.isExhausted || now >= next - Self.interval + Self.retryInterval
  }
}
