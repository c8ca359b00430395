internal import Dispatch
internal import Foundation
internal import HubCore
internal import SystemSupport

/// Checks and hashes passwords away from the threads that serve requests, in the order of a ``HubCore/PasswordQueue``.
final class PasswordChecks: Sendable {
  private struct Job: Sendable {
    var work: @Sendable () -> Void
    var refuse: @Sendable (HubRefusal) -> Void
  }

  private let threads = DispatchQueue(label: "password hashing", attributes: .concurrent)
  private let queue: Mutex<PasswordQueue<Job>>

  init(limits: HubLimits) {
    let workers = min(max(ProcessInfo.processInfo.activeProcessorCount / 2, 1), 4)
    queue = Mutex(PasswordQueue(workers: workers, limits: limits))
  }

  /// Throws ``HubCore/HubRefusal/tooManyLogins`` when too many wait already, or it has waited too long.
  func run<Value: Sendable>(
    origin: String, standing: PasswordStanding, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let job = Job(
        work: { continuation.resume(with: Result { try work() }) },
        refuse: { continuation.resume(throwing: $0) })
      do {
        switch try queue.withLock({ try $0.submit(job, origin: origin, standing: standing, now: .now) }) {
        case .start: start(job, origin: origin)
        case .waits(let displaced): displaced?.job.refuse(.tooManyLogins)
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  private func start(_ job: Job, origin: String) {
    threads.async { [self] in
      job.work()
      let (next, overdue) = queue.withLock { queue in
        let overdue = queue.removeOverdue(now: .now)
        return (queue.finish(origin), overdue)
      }
      for entry in overdue { entry.job.refuse(.tooManyLogins) }
      if let next { start(next.job, origin: next.origin) }
    }
  }
}
