import MediaCore
import RealtimeRuntime
import SystemSupport

/// Runs a ``RetentionJob``: at once, every minute, when asked to, and during a recording as soon as space runs short.
///
/// During a recording it checks the free space each second, which is one system call; without one, each minute.
public final class RetentionThread: Sendable {
  private struct Orders {
    var recordings = 0
    var isAsked = true
    /// An archive has ended, or there are some from before.
    var hasEnded = true
    var isFolderSuspect = false
    var isStopping = false
  }

  private let job: RetentionJob
  private let watch: ArchiveFolderWatch
  private let onKeeping: @Sendable (ArchiveKeeping) -> Void
  private let onFolderChange: @Sendable (ArchiveFolderWatch.Change) -> Void
  private let orders = Mutex(Orders())
  private let wake: EventDescriptor
  /// Ends when the thread has.
  private let ended = AsyncStream.makeStream(of: Never.self)

  private static let interval = TimeSpan.seconds(60)
  private static let watchInterval = TimeSpan.seconds(1)
  /// How soon it is tried again when nothing could be deleted.
  private static let retryInterval = TimeSpan.seconds(10)

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - watch: of the folder; checked as often, and more often while something is wrong.
  ///   - onKeeping: called on the thread.
  ///   - onFolderChange: called on the thread.
  public init(
    _ job: RetentionJob, watch: ArchiveFolderWatch, onKeeping: @escaping @Sendable (ArchiveKeeping) -> Void,
    onFolderChange: @escaping @Sendable (ArchiveFolderWatch.Change) -> Void
  ) throws(ArchiveError) {
    self.job = job
    self.watch = watch
    self.onKeeping = onKeeping
    self.onFolderChange = onFolderChange
    do {
      wake = try EventDescriptor()
      try MediaThread(name: "archive-job") { [self] in
        run()
        ended.continuation.finish()
      }.detach()
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
    orders.withLock { orders in
      orders.recordings = max(0, orders.recordings - 1)
      orders.hasEnded = true
    }
    keepSoon()
  }

  /// A recording could not be started, or failed: the folder is tried at once.
  public func recordingFailed() {
    orders.withLock { $0.isFolderSuspect = true }
    keepSoon()
  }

  /// What the archives and their disk hold, as of the last survey.
  public var usage: ArchiveUsage? { job.usage }

  /// Keeps the archives of plans as this says, from now on. Does not wait for it.
  public func setPlans(_ plans: [String: PlanLimits]) {
    job.setPlans(plans)
    keepSoon()
  }

  /// Keeps now. Does not wait for it.
  public func keepSoon() {
    orders.withLock { $0.isAsked = true }
    wake.signal()
  }

  /// Ends the thread, and waits for the deletion under way, but not for a disk that hangs. Call before letting go of it; harmless
  /// to repeat.
  ///
  /// - Returns: whether the thread has ended.
  @discardableResult
  public func stop(atMost limit: Duration = .seconds(5)) async -> Bool {
    orders.withLock { $0.isStopping = true }
    wake.signal()
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask { [stream = ended.stream] in
        for await _ in stream {}
        return !Task.isCancelled
      }
      group.addTask {
        try? await Task.sleep(for: limit)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  private func run() {
    var next = MonotonicClock.now()
    while true {
      let order = orders.withLock { orders in
        defer { (orders.isAsked, orders.isFolderSuspect, orders.hasEnded) = (false, false, false) }
        return orders
      }
      if order.isStopping { return }
      let now = MonotonicClock.now()
      if order.isAsked || now >= next || mustHurry(order, next: next, now: now) {
        let reports = job.keep(notesOrder: order.hasEnded)
        scanFolder(again: order.isFolderSuspect)
        for keeping in reports where !isKnown(keeping) { onKeeping(keeping) }
        next = MonotonicClock.now() + (watch.problem == nil ? Self.interval : Self.retryInterval)
      }
      _ = wake.wait(timeout: order.recordings > 0 ? Self.watchInterval : next - MonotonicClock.now())
    }
  }

  /// Whether that the folder is broken says the same: nothing is left on its disk, and what to do about it.
  private func isKnown(_ keeping: ArchiveKeeping) -> Bool { keeping == .exhausted([.space]) && watch.problem != nil }

  private func scanFolder(again isThorough: Bool) {
    if let change = watch.check(again: isThorough) { onFolderChange(change) }
  }

  /// Whether a recording needs space before the next regular pass.
  private func mustHurry(_ order: Orders, next: MonotonicInstant, now: MonotonicInstant) -> Bool {
    guard order.recordings > 0, job.isSpaceShort else { return false }
    return !job.isExhausted || now >= next - Self.interval + Self.retryInterval
  }
}
