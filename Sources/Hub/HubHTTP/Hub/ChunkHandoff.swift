internal import NIOCore
internal import SystemSupport

/// Hands chunks from one task to another, one at a time: the sender waits until its chunk is taken.
///
/// Either side may end it; the other then learns so at once.
final class ChunkHandoff: Sendable {
  private struct State {
    var chunk: ByteBuffer?
    var isFinished = false
    var isAbandoned = false
    var sender: CheckedContinuation<Void, Never>?
    var receiver: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Returns when the chunk is taken; throws when its reader is gone.
  func send(_ chunk: ByteBuffer) async throws {
    wake(
      state.withLock { state in
        state.chunk = chunk
        return state.receiver.take()
      })
    try await wait {
      $0.chunk == nil || $0.isAbandoned
    } storing: {
      $0.sender = $1
    }
    if state.withLock({ $0.isAbandoned }) { throw TransferError.abandoned }
  }

  /// The next chunk; nil at the end.
  func next() async throws -> ByteBuffer? {
    try await wait {
      $0.chunk != nil || $0.isFinished || $0.isAbandoned
    } storing: {
      $0.receiver = $1
    }
    let (chunk, isWhole, sender) = state.withLock { state in
      (state.chunk.take(), state.isFinished && !state.isAbandoned, state.sender.take())
    }
    wake(sender)
    if let chunk { return chunk }
    guard isWhole else { throw TransferError.abandoned }
    return nil
  }

  /// The sender has sent everything.
  func finish() {
    wake(
      state.withLock { state in
        state.isFinished = true
        return state.receiver.take()
      })
  }

  /// One side gives up: what is not taken yet is dropped.
  func abandon() {
    let (sender, receiver) = state.withLock { state in
      if !state.isFinished || state.chunk != nil { state.isAbandoned = true }
      state.chunk = nil
      return (state.sender.take(), state.receiver.take())
    }
    wake(sender)
    wake(receiver)
  }

  private func wake(_ continuation: CheckedContinuation<Void, Never>?) { continuation?.resume() }

  /// Suspends until `isReady`; a cancelled task abandons the transfer.
  private func wait(
    until isReady: @escaping @Sendable (State) -> Bool,
    storing store: @escaping @Sendable (inout State, CheckedContinuation<Void, Never>) -> Void
  ) async throws {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isImmediate = state.withLock { state in
          if isReady(state) { return true }
          store(&state, continuation)
          return false
        }
        if isImmediate { continuation.resume() }
      }
    } onCancel: {
      abandon()
    }
  }
}

/// Why an archive does not arrive whole.
enum TransferError: Error {
  /// The other side is gone, stalled, or beyond its byte cap.
  case abandoned
}
