internal import Dispatch
internal import Foundation
internal import HubCore
internal import Locking

/// Checks passwords away from the threads that serve requests, in the order of a ``HubCore/PasswordQueue``.
final class PasswordChecks: Sendable {
  private typealias Job = @Sendable () -> Void

  private let threads = DispatchQueue(label: "password hashing", attributes: .concurrent)
  private let queue: Mutex<PasswordQueue<Job>>

  init(limits: HubLimits) {
    let workers = min(max(ProcessInfo.processInfo.activeProcessorCount / 2, 1), 4)
    queue = Mutex(PasswordQueue(workers: workers, limits: limits))
  }

  /// Throws ``HubCore/HubRefusal/overloaded(_:retryAfter:)`` when too many wait already.
  func run(origin: String, isKnown: Bool, _ work: @escaping @Sendable () throws -> Bool) async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      let job: Job = { continuation.resume(with: Result { try work() }) }
      do {
        let isFirst = try queue.withLock { queue in try queue.submit(job, origin: origin, isKnown: isKnown) }
        if isFirst { start(job, origin: origin) }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  private func start(_ job: @escaping Job, origin: String) {
    threads.async { [self] in
      job()
      if let next = queue.withLock({ $0.finish(origin) }) { start(next.job, origin: next.origin) }
    }
  }
}
