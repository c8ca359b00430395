import Glibc
import MediaCore
import SystemSupport
import RealtimeRuntime

/// A file whose bytes, or a folder whose entries, have to reach the disk. It must stay open until that is done.
struct DiskSync: Sendable {
  /// What the descriptor is for.
  enum Target: Sendable {
    case file
    case folder
    /// The folder that many levels above.
    case parent(Int)
  }

  let descriptor: CInt
  let calls: DiskCalls
  var target = Target.file

  /// Waits for the disk.
  ///
  /// - Returns: 0, or the error's number.
  func perform() -> Int32 { Self.perform([self])[0] }

  /// Waits for the disk once for all of them, and for what other callers wait for: see ``FlushQueue``.
  ///
  /// A journalling file system allocates a file's blocks when it writes them out. So each caller writes its own out
  /// first: then the barrier does not have to wait for other callers' bytes.
  ///
  /// - Returns: the result of each, in their order.
  static func perform(_ syncs: [DiskSync]) -> [Int32] {
    guard let first = syncs.first else { return [] }
    let written = syncs.map { $0.writeOut() }
    return zip(written, first.queue.flush(syncs.map(\.flush))).map { $0 == 0 ? $1 : $0 }
  }

  /// How long the last wait for the disk took.
  var lastSpan: TimeSpan { TimeSpan(queue.lastSpan) }

  private var queue: FlushQueue { calls.queue ?? .ofFileSystem(holding: descriptor) }

  static func check(_ error: Int32) throws(ArchiveError) {
    if error != 0 { throw .system(SystemCallError(call: "fdatasync", errno: error)) }
  }

  /// Hands a file's bytes to the disk without waiting until they are there for good.
  ///
  /// - Returns: 0, or the error's number; the kernel reports an error only once.
  private func writeOut() -> Int32 {
    guard case .file = target else { return 0 }
    let error = DiskFlush.repeating { calls.writeOut(descriptor) }
    return error == ENOSYS || error == EINVAL || error == ESPIPE ? 0 : error
  }

  private var flush: DiskFlush {
    DiskFlush(descriptor: descriptor) { [self] in
      switch target {
      case .file: DiskFlush.repeating { calls.sync(descriptor) }
      case .folder: DiskFlush.repeating { calls.syncFolder(descriptor) }
      case .parent(let level): flushParent(level)
      }
    }
  }

  private func flushParent(_ level: Int) -> Int32 {
    let path = String(repeating: "../", count: level)
    let parent = openat(descriptor, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard parent >= 0 else { return errno }
    defer { close(parent) }
    return DiskFlush.repeating { calls.syncFolder(parent) }
  }
}
