import SystemSupport

/// Hands one reader the newest value of each key; what it has not taken yet is replaced, never queued.
///
/// For telemetry, such as an estimate of a session's rate: memory is bounded by the number of keys, however slow the
/// reader is. Not for events that must all arrive, which belong into a queue. Any thread writes; only ``next()`` waits.
public final class LatestValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let waiting = Mutex<[Key: Value]>([:])
  private let changes: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  public init() {
    (changes, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Changes what waits for the key, or `initial` where nothing does.
  public func update(_ key: Key, initial: Value, _ change: @Sendable (inout Value) -> Void) {
    waiting.withLock { change(&$0[key, default: initial]) }
    signal.yield()
  }

  /// Forgets what waits for the key.
  public func remove(_ key: Key) { _ = waiting.withLock { $0.removeValue(forKey: key) } }

  /// Ends the reader's waiting once it has taken what is left.
  public func finish() { signal.finish() }

  /// Takes what has changed since the last call; waits until something has. Nil after ``finish()``, and in a task that
  /// is cancelled. For one reader.
  public func next() async -> [Key: Value]? {
    while true {
      let values = take()
      if !values.isEmpty { return values }
      var iterator = changes.makeAsyncIterator()
      if await iterator.next() == nil {
        let rest = take()
        return rest.isEmpty ? nil : rest
      }
    }
  }

  private func take() -> [Key: Value] {
    waiting.withLock { waiting in
      defer { waiting = [:] }
      return waiting
    }
  }
}
