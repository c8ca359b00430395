import Dispatch
import Glibc
import SystemSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct FlushQueueTests {
  /// A disk that does one thing at a time and takes its time for each.
  private final class SerialDisk: Sendable {
    private let lock = Mutex(0)
    private let milliseconds: UInt32
    let barriers = Mutex(0)

    init(milliseconds: UInt32) { self.milliseconds = milliseconds }

    func flush() -> Int32 {
      lock.withLock {
        usleep(milliseconds * 1_000)
        $0 += 1
      }
      return 0
    }

    var count: Int { lock.withLock { $0 } }

    func queue(barrierFails: Bool = false) -> FlushQueue {
      FlushQueue { [self] _ in
        barriers.withLock { $0 += 1 }
        return barrierFails ? EIO : flush()
      }
    }

    func flushes(_ count: Int) -> [DiskFlush] { (0..<count).map { _ in DiskFlush(descriptor: -1) { self.flush() } } }
  }

  /// Runs bodies on threads of their own; returns the milliseconds that each took.
  private func times(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> [Double] {
    let times = Mutex([Double](repeating: 0, count: count))
    let group = DispatchGroup()
    for index in 0..<count {
      DispatchQueue(label: "test").async(group: group) {
        let begin = ContinuousClock.now
        body(index)
        let span = (ContinuousClock.now - begin) / .milliseconds(1)
        times.withLock { $0[index] = span }
      }
    }
    group.wait()
    return times.withLock { $0 }
  }

  @Test func manyWaitForTwoBarriersAtMost() {
    let disk = SerialDisk(milliseconds: 100)
    let queue = disk.queue()
    let spans = times(20) { index in
      usleep(UInt32(index) * 5_000)
      #expect(queue.flush(disk.flushes(3)) == [0, 0, 0])
    }
    #expect(spans.max() ?? 0 < 320, "\(spans)")
    #expect(disk.count <= 4)
  }

  /// They would take turns otherwise, and each wait for the other's barrier and for its own.
  @Test func thoseWhoFlushInALoopSoonShareTheirBarriersOnASlowDisk() {
    let disk = SerialDisk(milliseconds: 150)
    let queue = disk.queue()
    _ = times(2) { index in
      usleep(UInt32(index) * 50_000)
      for _ in 0..<4 { #expect(queue.flush(disk.flushes(2)) == [0, 0]) }
    }
    #expect(disk.count <= 6, "\(disk.count) barriers for two times four")
    #expect(queue.lastSpan >= .milliseconds(150))
  }

  @Test func oneFileNeedsNoBarrierOfAll() {
    let disk = SerialDisk(milliseconds: 1)
    #expect(disk.queue().flush(disk.flushes(1)) == [0])
    #expect(disk.barriers.withLock { $0 } == 0)
    #expect(disk.queue().flush([]) == [])
  }

  /// Also when others lead it.
  @Test func anErrorIsToldToWhomItConcerns() {
    let disk = SerialDisk(milliseconds: 20)
    let queue = disk.queue(barrierFails: true)
    _ = times(6) { index in
      let failing = DiskFlush(descriptor: -1) { ENOSPC }
      let errors = queue.flush(disk.flushes(1) + (index == 3 ? [failing] : []) + disk.flushes(1))
      #expect(errors == (index == 3 ? [0, ENOSPC, 0] : [0, 0]))
    }
  }

  @Test func filesOfThisMachineAreFlushed() throws {
    let path = "/tmp/flush-queue-\(getpid())"
    let descriptors = ["a", "b"].map { open(path + $0, O_RDWR | O_CREAT, 0o600) }
    defer {
      for descriptor in descriptors { close(descriptor) }
      for name in ["a", "b"] { unlink(path + name) }
    }
    #expect(write(descriptors[0], "text", 4) == 4)
    let queue = FlushQueue.ofFileSystem(holding: descriptors[0])
    #expect(queue === FlushQueue.ofFileSystem(holding: descriptors[1]))
    #expect(queue.flush(descriptors.map { .bytes($0) }) == [0, 0])
    #expect(FlushQueue.flush(.whole(descriptors[0])) == 0)
    #expect(FlushQueue.flush(.bytes(-1)) == EBADF)
  }
}
