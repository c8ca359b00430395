import RealtimeRuntime

/// Runs what may hang on a disk, on a thread of its own.
enum DiskThread {
  static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      do {
        try MediaThread(name: "archive-open") { continuation.resume(with: Swift.Result(catching: work)) }.detach()
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}

extension Task where Success == Void, Failure == Never {
  /// Waits until the task is done, for so long at most; it goes on then.
  func value(within limit: Duration) async {
    let (done, signal) = AsyncStream.makeStream(of: Never.self)
    let watch = Task<Void, Never> {
      await value
      signal.finish()
    }
    let patience = Task<Void, Never> {
      try? await Task<Never, Never>.sleep(for: limit)
      signal.finish()
    }
    for await _ in done {}
    patience.cancel()
    watch.cancel()
  }
}
