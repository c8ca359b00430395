import Archive
import SystemSupport
import MediaCore
import Signalling

/// Archives that were stopped and are being completed, each as long as its disk takes.
final class ArchiveEndings: Sendable {
  private let tasks = Mutex<[ArchiveID: Task<Void, Never>]>([:])

  /// Stops the archive; the task is done when it is complete.
  func begin(_ recorder: any ArchiveRecording, reason: String) -> Task<Void, Never> {
    let id = recorder.id
    return tasks.withLock { tasks in
      let task = Task {
        _ = await recorder.stop(reason: reason)
        forget(id)
      }
      tasks[id] = task
      return task
    }
  }

  /// Waits until all that have begun are complete, up to a timeout.
  func wait(atMost limit: TimeSpan, _ clock: MediaClock) async {
    let end = clock.now() + limit
    for task in tasks.withLock({ Array($0.values) }) { await task.value(within: max(.zero, end - clock.now()), clock) }
  }

  private func forget(_ id: ArchiveID) { _ = tasks.withLock { $0.removeValue(forKey: id) } }
}
