internal import SystemSupport

/// Where tasks leave commands for the event loop; bounds how many have no reply yet.
///
/// The first command that is left while the queue is empty wakes the event loop, which then takes all that have come: so
/// the commands of one tick are written in one flush.
final class CommandQueue: Sendable {
  enum Outcome {
    /// The event loop has to be woken.
    case wake
    case queued
    case refused(RedisFailure)
  }

  private struct State {
    var waiting: [Submission] = []
    var outstandingCommands = 0
    var outstandingBytes = 0
    /// Why nothing can be sent; `nil` while there is a connection.
    var refusal: RedisFailure? = .notConnected(.notYetConnected)
  }

  private let limits: RedisConnectionSettings.Limits
  private let state = Mutex(State())

  init(_ limits: RedisConnectionSettings.Limits) { self.limits = limits }

  /// Takes all submissions or none; a refusal is not reported here.
  func submit(_ submissions: some Collection<Submission>) -> Outcome {
    let bytes = submissions.reduce(0) { $0 + $1.command.size }
    return state.withLock { state in
      if let refusal = state.refusal { return .refused(refusal) }
      guard submissions.count <= limits.outstandingCommands - state.outstandingCommands,
        bytes <= limits.outstandingBytes - state.outstandingBytes
      else { return .refused(.overloaded) }
      state.outstandingCommands += submissions.count
      state.outstandingBytes += bytes
      let isFirst = state.waiting.isEmpty
      state.waiting += submissions
      return isFirst ? .wake : .queued
    }
  }

  /// What has been left since the last call.
  func takeWaiting() -> [Submission] {
    state.withLock { state in
      let waiting = state.waiting
      state.waiting = []
      return waiting
    }
  }

  /// A command has its reply or its failure.
  func release(bytes: Int) {
    state.withLock { state in
      state.outstandingCommands -= 1
      state.outstandingBytes -= bytes
    }
  }

  /// Lets commands in (`nil`) or refuses them.
  func setRefusal(_ refusal: RedisFailure?) {
    state.withLock { state in
      // The end is final.
      if state.refusal != .shutDown { state.refusal = refusal }
    }
  }
}
