import CLinux
import Dispatch
import Glibc

/// What to flush to disk: an open file's bytes or an open folder's entries.
public struct DiskFlush: Sendable {
  /// Stays open until the flush is over.
  public var descriptor: CInt
  /// Waits only for this one; returns 0 or the error's number.
  public var perform: @Sendable () -> Int32

  public init(descriptor: CInt, perform: @escaping @Sendable () -> Int32) {
    self.descriptor = descriptor
    self.perform = perform
  }

  /// Flushes a file's bytes, and the metadata needed to read them (fdatasync).
  public static func bytes(_ descriptor: CInt) -> DiskFlush {
    DiskFlush(descriptor: descriptor) { repeating { fdatasync(descriptor) } }
  }

  /// Flushes a file with all its metadata, or a folder's entries (fsync).
  public static func whole(_ descriptor: CInt) -> DiskFlush {
    DiskFlush(descriptor: descriptor) { repeating { fsync(descriptor) } }
  }

  /// Calls again while a signal interrupts; returns 0 or the error's number.
  public static func repeating(_ call: () -> CInt) -> Int32 {
    while call() != 0 {
      guard errno == EINTR else { return errno }
    }
    return 0
  }
}

/// Lets all who wait for one file system's disk wait for one barrier, instead of one after the other.
///
/// A disk that takes half a second for a flush takes ten seconds for twenty. So one barrier is under way at a time, and all
/// that is requested meanwhile joins the next: no caller waits for more than two, however much others write. The caller
/// writes the bytes out first, so that the barrier of a recording does not carry an export's bytes.
///
/// On a slow disk a barrier begins a little late: a caller that waited for the one before can write what has come
/// meanwhile, and ask again, and need not wait for this barrier and the next.
///
/// Safe from any thread; ``flush(_:together:)`` blocks the one that calls it.
public final class FlushQueue: Sendable {
  private final class Request: Sendable {
    let flushes: [DiskFlush]
    let turn = DispatchSemaphore(value: 0)
    /// Nil for the one whose turn it is to lead.
    let errors = Mutex<[Int32]?>(nil)

    init(_ flushes: [DiskFlush]) { self.flushes = flushes }
  }

  private struct State {
    var isUnderWay = false
    var waiting: [Request] = []
    var lastSpan = Duration.zero
  }

  /// A disk that takes longer is a slow one.
  private static let slowSpan = Duration.milliseconds(100)
  /// How long to wait for further callers, at most a tenth of a slow disk's barrier.
  private static let longestGathering = Duration.milliseconds(50)

  private let flushAll: (@Sendable (CInt) -> Int32?)?
  private let state = Mutex(State())

  /// - Parameter flushAll: flushes the file system that holds an open file with one barrier; returns 0, the error's number, or
  ///   nil where it is better not done now. Without it files are flushed one by one.
  public init(flushAll: (@Sendable (CInt) -> Int32?)? = nil) { self.flushAll = flushAll }

  /// How long the disk took for the last barrier.
  public var lastSpan: Duration { state.withLock { $0.lastSpan } }

  /// Returns once all are on the disk.
  ///
  /// - Returns: 0 or the error's number of each, in their order.
  public func flush(_ flushes: [DiskFlush]) -> [Int32] {
    guard !flushes.isEmpty else { return [] }
    let request = Request(flushes)
    if !lead(request) {
      request.turn.wait()
      if let errors = request.errors.withLock({ $0 }) { return errors }
    }
    gather()
    let others = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    let clock = SuspendingClock()
    let begin = clock.now
    let errors = perform([request] + others)
    let span = clock.now - begin
    state.withLock { $0.lastSpan = span }
    passOn()
    for other in others { other.turn.signal() }
    return errors
  }

  private func gather() {
    let span = lastSpan
    guard span >= Self.slowSpan else { return }
    usleep(UInt32(min(span / 10, Self.longestGathering) / .microseconds(1)))
  }

  /// Whether no barrier is running; else the request waits.
  private func lead(_ request: Request) -> Bool {
    state.withLock { state in
      defer { state.isUnderWay = true }
      if state.isUnderWay { state.waiting.append(request) }
      return !state.isUnderWay
    }
  }

  /// The first of those that came meanwhile leads.
  private func passOn() {
    let next: Request? = state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isUnderWay = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.turn.signal()
  }

  /// - Returns: what became of the first one's.
  private func perform(_ requests: [Request]) -> [Int32] {
    var errors = performAll(requests.flatMap(\.flushes))[...]
    for request in requests {
      let own = Array(errors.prefix(request.flushes.count))
      request.errors.withLock { $0 = own }
      errors = errors.dropFirst(own.count)
    }
    return requests[0].errors.withLock { $0 } ?? []
  }

  /// Only a file's own flush shows whose error it is.
  private func performAll(_ all: [DiskFlush]) -> [Int32] {
    guard all.count > 1 else { return all.map { $0.perform() } }
    if let flushAll, flushAll(all[0].descriptor) == 0 { return all.map { _ in 0 } }
    return performTogether(all)
  }

  /// Concurrently, so that one journal transaction covers all.
  private func performTogether(_ all: [DiskFlush]) -> [Int32] {
    let errors = Mutex([Int32](repeating: 0, count: all.count))
    let group = DispatchGroup()
    for (index, flush) in all.enumerated().dropFirst() {
      // A serial queue has its own thread, however many block.
      DispatchQueue(label: "livesessions.flush").async(group: group) {
        let error = flush.perform()
        errors.withLock { $0[index] = error }
      }
    }
    let first = all[0].perform()
    group.wait()
    return errors.withLock { [first] + $0.dropFirst() }
  }
}

// MARK: - Of the machine

extension FlushQueue {
  private static let queues = Mutex<[dev_t: FlushQueue]>([:])
  /// More file systems share one queue.
  private static let limit = 16
  /// No barrier: it would cover only one file system.
  private static let shared = FlushQueue()

  /// The queue of the file system that holds an open file.
  public static func ofFileSystem(holding descriptor: CInt) -> FlushQueue {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return shared }
    return queues.withLock { queues in
      if let queue = queues[status.st_dev] { return queue }
      guard queues.count < limit else { return shared }
      let queue = makeQueue()
      queues[status.st_dev] = queue
      return queue
    }
  }

  /// Flushes one file together with other pending ones; returns 0 or the error's number.
  public static func flush(_ flush: DiskFlush) -> Int32 { ofFileSystem(holding: flush.descriptor).flush([flush])[0] }

  /// Before Linux 5.8 syncfs(2) reports no error.
  private static func makeQueue() -> FlushQueue {
    guard KernelVersion.current >= KernelVersion(major: 5, minor: 8) else { return FlushQueue() }
    return FlushQueue { descriptor in
      // There syncfs has the disk write its cache out, as fsync does; on FAT, exFAT and FUSE it may not.
      guard fs_is_ext(descriptor) != 0, let dirty = DirtyMemory.byteCount, dirty < DirtyMemory.limit else { return nil }
      return DiskFlush.repeating { fs_sync(descriptor) }
    }
  }
}

/// The dirty bytes of all programs: a barrier of the whole file system would wait for it.
private enum DirtyMemory {
  static let limit: UInt64 = 32 * 1_048_576
  private static let longestFile = 4_096

  /// By /proc/meminfo; nil where that cannot be read.
  static var byteCount: UInt64? {
    guard let file = try? PrivateFile.read("/proc/meminfo", limit: longestFile) else { return nil }
    let lines = file.octets.split(separator: UInt8(ascii: "\n"))
    let kilobytes = lines.compactMap { line -> UInt64? in
      let words = line.split(separator: UInt8(ascii: " "))
      guard words.count >= 2, words[0].elementsEqual("Dirty:".utf8) || words[0].elementsEqual("Writeback:".utf8)
      else { return nil }
      return UInt64(String(decoding: words[1], as: UTF8.self))
    }
    return kilobytes.count == 2 ? kilobytes.reduce(0, &+).multipliedReportingOverflow(by: 1_024).partialValue : nil
  }
}

private struct KernelVersion: Comparable {
  var major: Int
  var minor: Int

  static func < (left: Self, right: Self) -> Bool { (left.major, left.minor) < (right.major, right.minor) }

  static let current: KernelVersion = {
    let file = try? PrivateFile.read("/proc/sys/kernel/osrelease", limit: 64)
    let text = String(decoding: file?.octets ?? [], as: UTF8.self)
    let parts = text.split { !$0.isNumber }.prefix(2).map { Int($0) ?? 0 }
    return parts.count == 2 ? KernelVersion(major: parts[0], minor: parts[1]) : KernelVersion(major: 0, minor: 0)
  }()
}
