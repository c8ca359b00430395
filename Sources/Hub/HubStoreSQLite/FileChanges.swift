internal import Dispatch
internal import Glibc
internal import SystemSupport

/// Reports changes of a database or its write-ahead log, by any process (inotify(7)).
///
/// Both files are watched, and their folder in case they are recreated: what else is written there is ignored.
final class FileChanges: Sendable {
  private let listeners: ChangeListeners
  private let source: Mutex<any DispatchSourceRead>

  /// Nil where the kernel has no more watches, or the folder is none.
  init?(path: String) {
    // SQLite has the log beside the file itself, not beside a link to it.
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    let path = resolved.map { String(cString: $0) } ?? path
    let descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    guard Self.watch(path, descriptor) else {
      close(descriptor)
      return nil
    }
    listeners = ChangeListeners()
    source = Mutex(Self.makeSource(descriptor, of: path, listeners))
  }

  deinit { source.withLock { $0.cancel() } }

  /// One for any number of changes that the reader has not fetched yet.
  func listen() -> AsyncStream<Void> { listeners.listen() }

  private static func makeSource(
    _ descriptor: CInt, of path: String, _ listeners: ChangeListeners
  ) -> sending any DispatchSourceRead {
    let queue = DispatchQueue(label: "hub-database-watch")
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler {
      drain(descriptor)
      // A recreated file is another one to the kernel; one that is watched already stays so.
      _ = watch(path, descriptor)
      listeners.report()
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
    return source
  }

  /// Whether the folder is watched; a file need not be there yet.
  private static func watch(_ path: String, _ descriptor: CInt) -> Bool {
    for file in [path, path + "-wal"] { _ = inotify_add_watch(descriptor, file, UInt32(IN_MODIFY)) }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    return inotify_add_watch(descriptor, folder, UInt32(IN_CREATE) | UInt32(IN_MOVED_TO)) >= 0
  }

  /// What has changed is found by reading.
  private static func drain(_ descriptor: CInt) {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while read(descriptor, &bytes, bytes.count) > 0 {}
  }
}

/// Those who are notified of changes.
private final class ChangeListeners: Sendable {
  private struct State {
    var lastID = 0
    var continuations: [Int: AsyncStream<Void>.Continuation] = [:]
  }

  private let state = Mutex(State())

  func listen() -> AsyncStream<Void> {
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      state.lastID += 1
      state.continuations[state.lastID] = continuation
      return state.lastID
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.continuations.removeValue(forKey: id) }
    }
    return changes
  }

  func report() {
    let continuations = state.withLock { Array($0.continuations.values) }
    for continuation in continuations { continuation.yield() }
  }
}
