internal import NIOCore

/// The connections of a client that are ready; hands them the commands that wait, and reports when the first comes and
/// the last goes.
///
/// Belongs to the client's event loop.
final class ConnectionSet {
  private let queue: CommandQueue
  private let onEvent: @Sendable (RedisConnectionEvent) -> Void
  private var handlers: [CommandHandler] = []
  /// Whether the last event was `connected`; `nil` before the first.
  private var isConnected: Bool?
  private var lastReason = RedisDisconnection.notYetConnected
  private var isShutDown = false

  init(_ queue: CommandQueue, _ onEvent: @escaping @Sendable (RedisConnectionEvent) -> Void) {
    self.queue = queue
    self.onEvent = onEvent
  }

  func add(_ handler: CommandHandler) {
    guard handler.isOpen, !isShutDown else { return }
    handlers.append(handler)
    handler.onRelease = { [queue] in queue.release(bytes: $0) }
    handler.ended.assumeIsolated().whenSuccess { self.remove(handler, $0) }
    queue.setRefusal(nil)
    if isConnected != true {
      isConnected = true
      onEvent(.connected)
    }
  }

  /// A connection could not be made.
  func noteFailure(_ reason: RedisDisconnection) {
    guard handlers.isEmpty, !isShutDown, reason != .shutDown else { return }
    lastReason = reason
    queue.setRefusal(.notConnected(reason))
    if isConnected != false {
      isConnected = false
      onEvent(.lost(reason))
    }
  }

  /// Writes what waits to the connection that owes the fewest replies.
  func drain() {
    let submissions = queue.takeWaiting()
    let quietest = handlers.min { $0.pendingCount < $1.pendingCount }
    if let quietest { return quietest.send(submissions) }
    fail(submissions, isShutDown ? .shutDown : .notConnected(lastReason))
  }

  /// Fails what waits; the connections are closed by who opened them.
  func shutDown() {
    isShutDown = true
    queue.setRefusal(.shutDown)
    fail(queue.takeWaiting(), .shutDown)
  }

  private func fail(_ submissions: [Submission], _ failure: RedisFailure) {
    for submission in submissions {
      queue.release(bytes: submission.command.size)
      submission.receiver.receive(.failure(failure))
    }
  }

  private func remove(_ handler: CommandHandler, _ reason: RedisDisconnection) {
    handlers.removeAll { $0 === handler }
    // What one connection has learned is true of all.
    if reason == .isReplica { while let other = handlers.popLast() { other.close(.isReplica) } }
    noteFailure(reason)
  }
}
