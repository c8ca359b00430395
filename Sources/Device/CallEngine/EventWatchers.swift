import SystemSupport

/// Those who watch the engine; each has a bounded buffer and loses the oldest events when it does not read. What comes
/// from outside has bounds of its own (``Signalling/MessageLimits``), and watchers share it.
final class EventWatchers: Sendable {
  private struct State {
    var continuations: [Int: AsyncStream<EngineEvent>.Continuation] = [:]
    var nextID = 0
  }

  private static let bufferSize = 256

  private let state = Mutex(State())

  /// A new watcher, which goes when it is not read any more.
  func add() -> AsyncStream<EngineEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: EngineEvent.self, bufferingPolicy: .bufferingNewest(Self.bufferSize))
    let id = state.withLock { state in
      defer { state.nextID += 1 }
      state.continuations[state.nextID] = continuation
      return state.nextID
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.continuations.removeValue(forKey: id) }
    }
    return stream
  }

  func notify(_ event: EngineEvent) {
    for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield(event) }
  }

  func finish() {
    // Outside the lock, which the end of each takes itself.
    let all = state.withLock { state in
      defer { state.continuations = [:] }
      return Array(state.continuations.values)
    }
    for continuation in all { continuation.finish() }
  }
}
