internal import NIOCore

/// The caller that waits for a command's reply.
enum ReplyReceiver: Sendable {
  case batch(ReplyBatch)
  /// The sender ignores the reply.
  case discard

  func receive(_ result: Result<RedisValue, RedisFailure>) {
    switch self {
    case .batch(let batch): batch.receive(result)
    case .discard: break
    }
  }
}

/// Collects the replies of commands that were sent together; they come in order, on one thread.
final class ReplyBatch: @unchecked Sendable {
  // Sendable: after `init` only the event loop to which the commands are handed touches it.
  private var replies: [RedisValue] = []
  private var missing: Int
  private var continuation: CheckedContinuation<Result<[RedisValue], RedisFailure>, Never>?
  /// The first failure, unless a later one says that something may have been carried out.
  private var failure: RedisFailure?

  init(_ count: Int, _ continuation: CheckedContinuation<Result<[RedisValue], RedisFailure>, Never>) {
    missing = count
    replies.reserveCapacity(count)
    self.continuation = continuation
  }

  /// Resumes the caller at the last reply.
  func receive(_ result: Result<RedisValue, RedisFailure>) {
    missing -= 1
    switch result {
    case .success(let value): replies.append(value)
    case .failure(let error): note(error)
    }
    guard missing == 0 else { return }
    continuation.take()?.resume(returning: failure.map { .failure($0) } ?? .success(replies))
  }

  /// A batch of which a part has replies may have been carried out.
  private func note(_ error: RedisFailure) {
    let isPartDone = !replies.isEmpty || failure?.mayHaveBeenCarriedOut == true
    failure = RedisFailure(
      cause: failure?.cause ?? error.cause, mayHaveBeenCarriedOut: error.mayHaveBeenCarriedOut || isPartDone)
  }
}

/// A command on its way to a connection.
struct Submission: Sendable {
  let command: RedisCommand
  let receiver: ReplyReceiver
}
