import Glibc
import RealtimeRuntime
import Locking

/// A file whose bytes, or a folder whose entries, have to reach the disk. It must stay open until that is done.
struct DiskSync: Sendable {
  /// What the descriptor is for.
  enum Target: Sendable {
    case file
    case folder
    /// The folder so many levels above.
    case parent(Int)
  }

  let descriptor: CInt
  let calls: DiskCalls
  var target = Target.file

  /// Waits for the disk.
  ///
  /// - Returns: 0, or the error's number.
  func perform() -> Int32 {
    switch target {
    case .file: return Self.repeating { calls.sync(descriptor) }
    case .folder: return Self.repeating { calls.syncFolder(descriptor) }
    case .parent(let level):
      let path = String(repeating: "../", count: level)
      let parent = openat(descriptor, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard parent >= 0 else { return errno }
      defer { close(parent) }
      return Self.repeating { calls.syncFolder(parent) }
    }
  }

  private static func repeating(_ call: () -> CInt) -> Int32 {
    while call() != 0 {
      guard errno == EINTR else { return errno }
    }
    return 0
  }

  static func check(_ error: Int32) throws(ArchiveError) {
    if error != 0 { throw .system(SystemCallError(call: "fdatasync", errno: error)) }
  }

  /// Hands a file's bytes to the disk without waiting until they are there for good.
  ///
  /// - Returns: 0, or the error's number; the kernel tells of an error but once.
  private func writeOut() -> Int32 {
    guard case .file = target else { return 0 }
    let error = Self.repeating { calls.writeOut(descriptor) }
    return error == ENOSYS || error == EINVAL || error == ESPIPE ? 0 : error
  }

  /// Waits for several files at the same time: then a slow disk flushes about once for all of them, and not once for each.
  ///
  /// A journalling file system finds the place of a file's bytes when it writes them out. So they are written out first:
  /// then one transaction of the journal takes up all, and nobody waits for the next one.
  ///
  /// - Returns: what became of each, in their order.
  static func perform(_ syncs: [DiskSync]) -> [Int32] {
    guard syncs.count > 1 else { return syncs.map { $0.perform() } }
    let errors = syncs.map { $0.writeOut() }
    return zip(errors, performAtOnce(syncs)).map { $0 == 0 ? $1 : $0 }
  }

  private static func performAtOnce(_ syncs: [DiskSync]) -> [Int32] {
    let results = SyncResults(count: syncs.count)
    let threads = syncs.indices.dropFirst().map { results.startThread(syncs[$0], $0) }
    results.perform(syncs[0], 0)
    for thread in threads { thread?.join() }
    return results.values
  }
}

/// Where the threads of ``DiskSync/perform(_:)`` leave what became of their files.
private final class SyncResults: Sendable {
  private let errors: Mutex<[Int32]>

  private static let stackSize = 128 * 1024

  init(count: Int) { errors = Mutex([Int32](repeating: 0, count: count)) }

  var values: [Int32] { errors.withLock { $0 } }

  func perform(_ sync: DiskSync, _ index: Int) {
    let error = sync.perform()
    errors.withLock { $0[index] = error }
  }

  /// Returns nil when there are no more threads to be had and the work has been done here.
  func startThread(_ sync: DiskSync, _ index: Int) -> MediaThread? {
    do {
      return try MediaThread(name: "archive-sync", stackSize: Self.stackSize) { self.perform(sync, index) }
    } catch {
      perform(sync, index)
      return nil
    }
  }
}
