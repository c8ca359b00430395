import SystemSupport

/// Knows whether recordings can be written, from the start on and not only when the first one fails.
///
/// Safe from any thread; ``check(again:)`` blocks on the disk.
public final class ArchiveFolderWatch: Sendable {
  /// What is new.
  public enum Change: Equatable, Sendable {
    case broken(String)
    case recovered
  }

  private struct State {
    var problem: String?
    var hasScanned = false
  }

  private let store: ArchiveStore
  private let minimumFree: UInt64
  private let state = Mutex(State())

  /// - Parameter minimumFree: bytes without which no recording starts.
  public init(store: ArchiveStore, minimumFree: UInt64) {
    self.store = store
    self.minimumFree = minimumFree
  }

  /// Why nothing can be written, with what to do about it; `nil` if all is well.
  public var problem: String? { state.withLock { $0.problem } }

  /// Checks what is cheap; a test file is written the first time, while there is a problem, and on request.
  public func check(again isThorough: Bool = false) -> Change? {
    let mustWrite = state.withLock { isThorough || !$0.hasScanned || $0.problem != nil }
    let found = store.findProblem(minimumFree: minimumFree, isThorough: mustWrite)?.description
    return state.withLock { state in
      defer { (state.problem, state.hasScanned) = (found, true) }
      // How much is missing differs each time, which is not reported.
      if found != nil, state.problem != nil { return nil }
      return found.map { .broken($0) } ?? (state.problem == nil ? nil : .recovered)
    }
  }
}
