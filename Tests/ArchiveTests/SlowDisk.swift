import Glibc
import SystemSupport

@testable import Archive

/// A disk whose every flush takes its time, and that counts flushes.
final class SlowDisk: Sendable {
  private let pause: UInt32
  /// Whether it does one flush at a time, however many are asked for.
  private let isSerial: Bool
  private let turn = Mutex(())
  private let count = Atomic<Int>(0)
  private let running = Atomic<Int>(0)
  private let crowd = Atomic<Int>(0)
  private let sharedQueue = Mutex<FlushQueue?>(nil)

  /// - Parameter milliseconds: how long a flush takes.
  init(milliseconds: UInt32, isSerial: Bool = false) {
    pause = milliseconds * 1_000
    self.isSerial = isSerial
  }

  var flushes: Int { count.load(ordering: .relaxed) }
  /// How many flushes were under way at the same time, at most.
  var maxAtOnce: Int { crowd.load(ordering: .relaxed) }

  /// The one of all who write on it.
  var queue: FlushQueue {
    sharedQueue.withLock { shared in
      if let shared { return shared }
      let queue = isSerial ? FlushQueue { [unowned self] _ in flush() } : FlushQueue()
      shared = queue
      return queue
    }
  }

  var calls: DiskCalls {
    var calls = DiskCalls()
    calls.queue = queue
    calls.sync = { [self] descriptor in
      _ = flush()
      return fdatasync(descriptor)
    }
    calls.syncFolder = { [self] descriptor in
      _ = flush()
      return fsync(descriptor)
    }
    return calls
  }

  /// Takes as long as a flush.
  func flush() -> Int32 {
    count.add(1, ordering: .relaxed)
    crowd.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
    if isSerial { turn.withLock { _ in _ = usleep(pause) } } else { usleep(pause) }
    running.subtract(1, ordering: .relaxed)
    return 0
  }
}
