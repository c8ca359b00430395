import Glibc
import Synchronization

@testable import Archive

/// A disk whose every flush takes its time, that counts flushes, and that remembers what each put on the disk for good.
final class SlowDisk: Sendable {
  private let pause: UInt32
  private let count = Atomic<Int>(0)
  private let running = Atomic<Int>(0)
  private let crowd = Atomic<Int>(0)

  /// - Parameter milliseconds: how long a flush takes.
  init(milliseconds: UInt32) { pause = milliseconds * 1_000 }

  var flushes: Int { count.load(ordering: .relaxed) }
  /// How many flushes were under way at the same time, at most.
  var mostAtOnce: Int { crowd.load(ordering: .relaxed) }

  var calls: DiskCalls {
    var calls = DiskCalls()
    calls.sync = { [self] descriptor in
      flush()
      return fdatasync(descriptor)
    }
    calls.syncFolder = { [self] descriptor in
      flush()
      return fsync(descriptor)
    }
    return calls
  }

  private func flush() {
    count.add(1, ordering: .relaxed)
    crowd.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
    usleep(pause)
    running.subtract(1, ordering: .relaxed)
  }
}
