import Dispatch

/// Runs an actor that waits for disks on a thread of its own, away from the shared pool, which has few.
final class DiskExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "livesessions.events", qos: .utility)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
