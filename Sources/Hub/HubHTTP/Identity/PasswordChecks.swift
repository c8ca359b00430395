internal import Dispatch
internal import Foundation
internal import HubCore
internal import SystemSupport

/// Checks passwords away from the threads that serve requests, in the order of a ``HubCore/PasswordQueue``.
final class PasswordChecks: Sendable {
  private struct Job: Sendable {
    var work: @Sendable () throws -> Bool
    var continuation: CheckedContinuation<Bool, any Error>
  }

  private let threads = DispatchQueue(label: "password hashing", attributes: .concurrent)
  private let queue: Mutex<PasswordQueue<Job>>

  init(limits: HubLimits) {
    let workers = min(max(ProcessInfo.processInfo.activeProcessorCount / 2, 1), 4)
    queue = Mutex(PasswordQueue(workers: workers, limits: limits))
  }

  /// Throws ``HubCore/HubRefusal/tooManyLogins`` when too many wait already, or it has waited too long.
  func run(
    origin: String, standing: PasswordStanding, _ work: @escaping @Sendable () throws -> Bool
  ) async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      let job = Job(work: work, continuation: continuation)
      do {
        switch try queue.withLock({ try $0.submit(job, origin: origin, standing: standing, now: .now) }) {
        case .start: start(job, origin: origin)
        case .waits(let displaced): displaced?.job.continuation.resume(throwing: HubRefusal.tooManyLogins)
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  private func start(_ job: Job, origin: String) {
    threads.async { [self] in
      job.continuation.resume(with: Result { try job.work() })
      let (next, overdue) = queue.withLock { queue in
        let overdue = queue.removeOverdue(now: .now)
        return (queue.finish(origin), overdue)
      }
      for entry in overdue { entry.job.continuation.resume(throwing: HubRefusal.tooManyLogins) }
      if let next { start(next.job, origin: next.origin) }
    }
  }
}
