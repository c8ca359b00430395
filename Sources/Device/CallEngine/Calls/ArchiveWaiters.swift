import SystemSupport
import Signalling

/// Those who wait for the archive of a call that is starting.
final class ArchiveWaiters: Sendable {
  private let waiters = Mutex<[CheckedContinuation<ArchiveID, any Error>]>([])

  /// Returns the archive's id once it records.
  ///
  /// - Throws: what it failed with, or ``EngineError/archiveRefused`` when there was no result in time.
  func wait(atMost limit: Duration) async throws -> ArchiveID {
    let timeout = Task {
      try await Task.sleep(for: limit)
      resume(.failure(EngineError.archiveRefused))
    }
    defer { timeout.cancel() }
    return try await withCheckedThrowingContinuation { waiter in waiters.withLock { $0.append(waiter) } }
  }

  /// Reports the result to all who wait now.
  func resume(_ result: Result<ArchiveID, any Error>) {
    let waiting = waiters.withLock { waiters in
      defer { waiters = [] }
      return waiters
    }
    for waiter in waiting { waiter.resume(with: result) }
  }
}
