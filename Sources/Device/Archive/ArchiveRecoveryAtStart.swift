public import Logging
import RealtimeRuntime
import Signalling
import SystemSupport
internal import JournalLogging

/// Completes the archives that a power cut interrupted.
public final class ArchiveRecoveryAtStart: Sendable {
  private let store: ArchiveStore
  private let logger: Logger
  private let work = Mutex<Task<Void, Never>?>(nil)

  public init(store: ArchiveStore, logger: Logger) {
    self.store = store
    self.logger = logger
  }

  /// Begins, and waits for it for a while: a disk that stalls, or holds a great
  /// many archives, must not keep the daemon from its start.
  public func run() async {
    let (done, signal) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      await recover()
      signal.finish()
    }
    work.withLock { $0 = task }
    let timeout = Task {
      try? await Task.sleep(for: .seconds(10))
      signal.finish()
    }
    defer { timeout.cancel() }
    for await _ in done {}
  }

  /// What is not recovered by now is not reported any more.
  public func stop() { work.withLock { $0 }?.cancel() }

  private func recover() async {
    do {
      let results = try await BlockingWork.run(.wholeArchives) { [store] in try store.recover() }
      guard !Task.isCancelled else { return }
      for result in results.prefix(Self.maxRecoveriesReported) { report(result) }
      let others = results.count - Self.maxRecoveriesReported
      if others > 0 { logger.notice("\(others) more archives were recovered, or cannot be") }
    } catch {
      logger.error("archives cannot be listed: \(error)")
    }
  }

  private static let maxRecoveriesReported = 50

  private func report(_ recovery: ArchiveRecovery) {
    switch recovery {
    case .recovered(let manifest) where manifest.status == .failed:
      logger.warning("archive \(archive: manifest.id) holds nothing: \(manifest.reason)")
    case .recovered(let manifest): logger.notice("archive \(archive: manifest.id) was recovered")
    case .discarded(let id):
      logger.notice(
        "archive \(archive: id) was removed: the daemon ended before anything was recorded; where that repeats, see why it ended (MemoryMax of the service, the journal)"
      )
    case .foreign(let id, let names):
      logger.notice(
        "\(names.count) in the folder of archive \(archive: id) are none of the recorder's files and left alone, such as \(names[0])"
      )
    case .failed(let id, let error): logger.error("archive \(archive: id) cannot be recovered: \(error)")
    }
  }
}
