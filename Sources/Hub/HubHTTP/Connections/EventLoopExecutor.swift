internal import NIOCore

/// Runs tasks on an event loop's thread: a request is answered where its connection is read and written, and changes
/// threads only to wait for the store.
final class EventLoopExecutor: TaskExecutor {
  private let eventLoop: any EventLoop

  init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  func enqueue(_ job: consuming ExecutorJob) {
    let (job, executor) = (UnownedJob(job), asUnownedTaskExecutor())
    eventLoop.execute { job.runSynchronously(on: executor) }
  }
}

/// One executor for each event loop of a group.
struct EventLoopExecutors: Sendable {
  private let executors: [ObjectIdentifier: EventLoopExecutor]

  init(_ group: any EventLoopGroup) {
    executors = Dictionary(
      uniqueKeysWithValues: group.makeIterator().map { (ObjectIdentifier($0), EventLoopExecutor($0)) })
  }

  /// A channel's own; a new one for a channel of another group.
  func executor(of channel: any Channel) -> EventLoopExecutor {
    executors[ObjectIdentifier(channel.eventLoop)] ?? EventLoopExecutor(channel.eventLoop)
  }
}
