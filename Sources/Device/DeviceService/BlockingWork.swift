import Dispatch

/// Runs what may block on a disk away from the shared pool, which has few threads.
enum BlockingWork {
  private static let queue = DispatchQueue(label: "livesessions.disk", qos: .utility)

  /// One piece of work at a time: the disk does not get faster by crowding.
  static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Swift.Result(catching: work)) }
    }
  }
}
